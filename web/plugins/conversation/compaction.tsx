import { Disclosure, Icon, type CompactionRow } from "keylane";
import { Markdown } from "./markdown";
import { t } from "./messages";
import { useOpened } from "./opened";

/** That the model goes on from a summary of what stands above; the summary opens below the line. */
export function Compaction({ row }: { row: CompactionRow }) {
  const open = useOpened(row.key);
  if (row.state === "done" && row.summary !== "") {
    return (
      <Disclosure icon="fold-vertical" label={t("compactedLabel")} verb={t("compacted")} preview={t("compactedView")} open={open}>
        {() => <div class="reasoning"><Markdown text={row.summary} streaming={false} /></div>}
      </Disclosure>
    );
  }
  const text = {
    running: t("compacting"),
    done: t("compacted"),
    stopped: t("compactionStopped"),
    interrupted: t("compactionInterrupted"),
    failed: t("compactionFailed"),
  }[row.state];
  return (
    <div class="turn-ending" data-compaction={row.state}>
      <span class="turn-icon"><Icon name="fold-vertical" /></span>
      <div>
        <p role="status">{text}</p>
        {row.state === "failed" && <p class="retry-reason">{row.message} <code>{row.code}</code></p>}
      </div>
    </div>
  );
}
