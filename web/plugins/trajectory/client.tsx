// The trajectory: the open session's whole log as records on a timeline and in a
// table, with everything the log has about each.

import "./trajectory.css";
import { useEffect, useRef } from "preact/hooks";
import { address, Button, useClient, type OpenSession, type PluginScope } from "keylane";
import { Inspector } from "./inspector";
import { t } from "./messages";
import { recordOf } from "./record";
import { RecordTable } from "./table";
import { Timeline } from "./timeline";
import { Toolbar } from "./toolbar";
import { viewingOf, type Viewing } from "./viewing";

export function activate(scope: PluginScope): void {
  scope.view({ id: "trajectory", label: () => t("trajectory"), component: Trajectory });
}

function Trajectory() {
  const open = useClient().open.value;
  if (!open) return null;
  switch (open.load.value.kind) {
    case "loading":
      return <p class="trajectory-state" role="status">{t("loading")}</p>;
    case "failed":
      return <Failed session={open} message={open.load.value.error.message} code={open.load.value.error.code} />;
    case "ready":
      return <TrajectoryView key={open.id} viewing={viewingOf(open)} />;
  }
}

function Failed({ session, message, code }: { session: OpenSession; message: string; code: string }) {
  return (
    <div class="trajectory-state">
      <div class="failure" role="alert">
        <p class="failure-title">{t("failedTitle")}</p>
        <p>{message} <code>{code}</code></p>
        <Button icon="refresh-cw" onClick={() => session.retry()}>{t("retryLoad")}</Button>
      </div>
    </div>
  );
}

function TrajectoryView({ viewing }: { viewing: Viewing }) {
  const root = useRef<HTMLDivElement>(null);
  const records = viewing.log.records.value;
  const asked = address.value.event;

  // The address names an event, of this page's choosing or from elsewhere: its record is shown, however far back it lies.
  useEffect(() => {
    if (asked === undefined) {
      viewing.inspecting.value = false;
      return;
    }
    void viewing.log.reach(asked).then((held) => {
      const record = held ? recordOf(viewing.log.records.peek(), asked) : undefined;
      if (record && address.peek().event === asked) viewing.inspect(record.seq);
    });
  }, [asked, viewing]);

  const current = viewing.inspecting.value ? viewing.current() : undefined;
  const close = () => {
    viewing.close();
    root.current?.querySelector<HTMLElement>("[data-current] .record-button")?.focus({ preventScroll: true });
  };
  if (records.length === 0) {
    return (
      <div class="trajectory-state">
        <p class="trajectory-empty">{t("empty")}</p>
        <p>{t("emptyHelp")}</p>
      </div>
    );
  }
  return (
    <div
      class="trajectory"
      ref={root}
      data-details={current ? "open" : "closed"}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !viewing.inspecting.value) return;
        event.stopPropagation();
        close();
      }}
    >
      <div class="trajectory-body">
        <Toolbar viewing={viewing} />
        <Timeline viewing={viewing} />
        <RecordTable viewing={viewing} />
      </div>
      {current && <Inspector viewing={viewing} record={current} />}
    </div>
  );
}
