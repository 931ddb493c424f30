import { Disclosure, duration, locale, type ToolRow } from "keylane";
import { callFacts, type CallFacts } from "./call";
import { t } from "./messages";
import { Card, Terminal } from "./terminal";

/** A tool call: one line until opened. */
export function ToolView({ row }: { row: ToolRow }) {
  const facts = callFacts(row);
  const label = facts.object ? t("toolLabel", { verb: facts.verb, object: facts.object }) : facts.verb;
  return (
    <Disclosure icon={facts.terminal ? "terminal" : "wrench"} label={label} verb={facts.verb} object={facts.object} aside={<State row={row} facts={facts} />}>
      {() => (facts.terminal ? <Terminal row={row} command={facts.command} /> : <Generic row={row} />)}
    </Disclosure>
  );
}

/** State in words and colour; a call that went well says nothing but its time. */
function State({ row, facts }: { row: ToolRow; facts: CallFacts }) {
  const failed = row.state === "failed" || (facts.exitCode ?? 0) !== 0;
  const state = row.state === "done" && failed ? "failed" : row.state;
  const text = {
    preparing: t("preparing"),
    running: t("running"),
    done: "",
    failed: facts.exitCode ? t("failedExit", { code: facts.exitCode }) : t("failed"),
    stopped: t("stopped"),
    skipped: t("skipped"),
  }[state];
  // How long a stopped call ran is when the person stopped it.
  const took = state !== "stopped" && state !== "skipped" && row.startedAt !== undefined && row.endedAt !== undefined ? duration(row.endedAt - row.startedAt, locale.value) : "";
  return (
    <>
      {text && <span class="tool-state" data-state={state}>{text}</span>}
      {took && <span class="tool-time">{took}</span>}
    </>
  );
}

function Generic({ row }: { row: ToolRow }) {
  return (
    <div class="tool-generic">
      <Card label={t("arguments")} text={row.arguments} />
      {row.state !== "running" && row.state !== "preparing" && <Card label={t("result")} text={row.result} />}
    </div>
  );
}
