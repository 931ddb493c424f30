// The questions of the agent, in the composer's place while they wait; fetched when the first one does.

import "./question.css";
import { late, useClient, type PluginScope } from "keylane";

const Surface = late("questions", async () => (await import("./surface")).Surface, "soon");

export function activate(scope: PluginScope): void {
  scope.fill("dock", Questions);
}

function Questions() {
  const session = useClient().open.value;
  const asked = session?.question.value;
  if (!session || !asked || asked.questions.length === 0) return null;
  return <Surface key={asked.questionRpcId} session={session} asked={asked} />;
}
