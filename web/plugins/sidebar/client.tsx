// The sidebar: a new session, and the ones there are, newest first.

import "./sidebar.css";
import { Button, Icon, openStart, useClient, type PluginScope } from "keylane";
import { t } from "./messages";
import { Search } from "./search";
import { SessionTree } from "./tree";
import { ViewBar } from "./view";

export function activate(scope: PluginScope): void {
  scope.fill("sidebar", Sidebar);
}

function Sidebar() {
  const client = useClient();
  return (
    <>
      <div class="sidebar-head">
        <Brand />
        <Button icon="plus" onClick={openStart}>{t("newSession")}</Button>
      </div>
      <FoldersProblem />
      {client.lists.loaded.value ? <Search><ViewBar /><SessionTree /></Search> : <ListState />}
    </>
  );
}

function Brand() {
  return (
    <p class="brand">
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" class="brand-mark">
        <path d="M6 3v18M18 3v4M18 17v4M15.4 12H6" />
        <circle cx="18" cy="12" r="2.4" />
      </svg>
      keylane
    </p>
  );
}

/** Folders are missing, because the host cannot read its list of them; the sessions are there all the same. */
function FoldersProblem() {
  const client = useClient();
  const problem = client.lists.problem.value;
  if (!problem) return null;
  return (
    <div class="sidebar-note sidebar-problem" role="alert">
      <p><Icon name="triangle-alert" /> {t("foldersFailed")}</p>
      <p>{t("foldersHelp")}</p>
      <p><code>{problem.file}</code></p>
      <p><code>{problem.cause}</code></p>
      <Button icon="refresh-cw" onClick={() => void client.lists.refresh()}>{t("retry")}</Button>
    </div>
  );
}

function ListState() {
  const client = useClient();
  const error = client.lists.error.value;
  if (!error) return <p class="sidebar-note" role="status">{t("loading")}</p>;
  return (
    <div class="sidebar-note" role="alert">
      <p>{t("failed")} ({error.code})</p>
      <Button icon="refresh-cw" onClick={() => void client.lists.refresh()}>{t("retry")}</Button>
    </div>
  );
}
