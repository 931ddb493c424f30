// The section "Models" of the settings, fetched when it is looked at.

import "./models.css";
import { late, type PluginScope } from "keylane";
import { t } from "./messages";

export function activate(scope: PluginScope): void {
  scope.settings({ id: "models", label: () => t("models"), order: 5, component: late("models", async () => (await import("./models")).Models) });
}
