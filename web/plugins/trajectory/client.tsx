// The trajectory: the open session's whole log as records on a timeline and in a
// table, with everything the log has about each. All of it is a part that is
// fetched when somebody looks at it.

import "./trajectory.css";
import { details, late, type PluginScope } from "keylane";
import { t } from "./messages";

const Trajectory = late("trajectory", async () => (await import("./trajectory")).Trajectory);
const Record = late("trajectory's details", async () => (await import("./trajectory")).RecordDetails);

export function activate(scope: PluginScope): void {
  scope.fill("details", () => (details.value?.event === undefined ? null : <Record />));
  scope.view({ id: "trajectory", label: () => t("trajectory"), component: Trajectory });
}
