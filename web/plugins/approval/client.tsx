// The card of a call that waits for leave, above the composer; fetched when the first one does. It never takes the focus: somebody who is
// writing must not decide by accident. From the composer it is one Shift+Tab away.

import "./approval.css";
import { late, useClient, type PluginScope } from "keylane";

const ApprovalCard = late("approvals", async () => (await import("./card")).ApprovalCard, "soon");

export function activate(scope: PluginScope): void {
  scope.fill("dock", Approval, -2);
}

function Approval() {
  const session = useClient().open.value;
  const asked = session?.approval.value;
  if (!session || !asked) return null;
  return <ApprovalCard key={asked.approvalId} session={session} asked={asked} />;
}
