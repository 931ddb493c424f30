import { useEffect } from "preact/hooks";
import { Button, details, useClient } from "keylane";
import { Inspector } from "./inspector";
import { t } from "./messages";
import { recordOf } from "./record";
import { viewingOf, type Viewing } from "./viewing";

/** The record of the event that the details are about, beside whatever the page shows of its session. */
export function RecordDetails() {
  const open = useClient().open.value;
  const event = details.value?.event;
  if (!open || event === undefined || open.load.value.kind !== "ready") return null;
  return <HeldRecord key={open.id} viewing={viewingOf(open)} event={event} />;
}

/** It may lie before everything that the page holds: then it is fetched, and until then its place says so. */
function HeldRecord({ viewing, event }: { viewing: Viewing; event: number }) {
  const { log } = viewing;
  useEffect(() => void log.reach(event), [log, event]);
  const record = recordOf(log.records.value, event);
  if (record) return <Inspector viewing={viewing} record={record} />;
  return (
    <div class="inspector-away">
      {log.failed.value ? (
        <div class="failure" role="alert">
          <p class="failure-title">{t("recordFailed")}</p>
          <Button icon="refresh-cw" onClick={() => void log.reach(event)}>{t("retryLoad")}</Button>
        </div>
      ) : (
        <p role="status">{log.hasMore.value ? t("loading") : t("recordMissing")}</p>
      )}
    </div>
  );
}
