// Where work happens: the start page with the choice of a workspace, and the
// dialog in which folders of the machine are found and made.

import "./workspace.css";
import { useLayoutEffect, useRef } from "preact/hooks";
import { directoryAsked, late, useClient, type PluginScope } from "keylane";
import { t } from "./messages";
import { WorkspaceChoice } from "./choice";

const DirectoryDialog = late("folders", async () => (await import("./dialog")).DirectoryDialog);

export function activate(scope: PluginScope): void {
  scope.fill("main", Start);
  scope.fill("dock", Asked, 100);
}

/** The start page above its composer. Nothing while a session is open. */
function Start() {
  const client = useClient();
  if (client.open.value) return null;
  return (
    <div class="start">
      <div class="start-column">
        <h1>{t("headline")}</h1>
        <WorkspaceChoice />
      </div>
    </div>
  );
}

/** The directory dialog while somebody asks for a folder. The focus goes back when the dialog is out of the document: until then nothing else can have it. */
function Asked() {
  const request = directoryAsked.value;
  const before = useRef<Element | null>(null);
  if (request && before.current === null) before.current = document.activeElement;
  useLayoutEffect(() => {
    if (request) return;
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
    before.current = null;
  }, [request]);
  return request ? <DirectoryDialog request={request} /> : null;
}
