// What the trajectory shows, fetched when it is looked at.

import { useEffect, useRef } from "preact/hooks";
import { address, Button, closeDetails, details, openStart, useClient, type OpenSession } from "keylane";
import { t } from "./messages";
import { recordOf } from "./record";
import { RecordTable } from "./table";
import { Timeline } from "./timeline";
import { Toolbar } from "./toolbar";
import { viewingOf, type Viewing } from "./viewing";

export { RecordDetails } from "./details";

export function Trajectory() {
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
  const missing = code === "session-not-found";
  return (
    <div class="trajectory-state">
      <div class="failure" role="alert">
        <p class="failure-title">{missing ? t("notFound") : t("failedTitle")}</p>
        <p>{missing ? t("notFoundHelp") : message} <code>{code}</code></p>
        {missing ? <Button icon="plus" onClick={openStart}>{t("newSession")}</Button> : <Button icon="refresh-cw" onClick={() => session.retry()}>{t("retryLoad")}</Button>}
      </div>
    </div>
  );
}

function TrajectoryView({ viewing }: { viewing: Viewing }) {
  const records = viewing.log.records.value;
  const asked = address.value.event;
  const came = useRef(false);

  // The address names an event, of this page's choosing or from elsewhere: its record is shown, however far back it lies. Without
  // one, whoever comes with open details finds their record here, and whoever goes back to before them leaves them.
  useEffect(() => {
    const first = !came.current;
    came.current = true;
    const event = asked ?? (first ? details.peek()?.event : undefined);
    if (event === undefined) {
      if (!first) closeDetails();
      return;
    }
    void viewing.log.reach(event).then((held) => {
      const record = held ? recordOf(viewing.log.records.peek(), event) : undefined;
      if (!record || address.peek().event !== asked) return;
      if (details.peek()?.event === record.seq) viewing.select(record.seq);
      else viewing.inspect(record.seq);
    });
  }, [asked, viewing]);

  // Opened without an event, they are about the record that is chosen.
  const unsaid = viewing.inspecting.value && details.value?.event === undefined;
  useEffect(() => {
    const seq = viewing.selected.peek();
    if (unsaid && seq !== undefined) viewing.select(seq);
  }, [unsaid, viewing]);

  if (records.length === 0) {
    return (
      <div class="trajectory-state">
        {viewing.log.session.damage.value ? (
          <p class="trajectory-empty">{t("damaged")}</p>
        ) : (
          <>
            <p class="trajectory-empty">{t("empty")}</p>
            <p>{t("emptyHelp")}</p>
          </>
        )}
      </div>
    );
  }
  return (
    <div class="trajectory">
      <Toolbar viewing={viewing} />
      <Timeline viewing={viewing} />
      <RecordTable viewing={viewing} />
    </div>
  );
}
