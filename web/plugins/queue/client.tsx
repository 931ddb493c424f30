// The dock above the composer with the messages that wait for a turn of their own; fetched with the first session.

import "./queue.css";
import { late, useClient, type PluginScope } from "keylane";

const QueueDock = late("queue", async () => (await import("./dock")).QueueDock, "soon");

export function activate(scope: PluginScope): void {
  scope.fill("dock", Queue, -3);
}

function Queue() {
  const session = useClient().open.value;
  return session ? <QueueDock key={session.id} session={session} /> : null;
}
