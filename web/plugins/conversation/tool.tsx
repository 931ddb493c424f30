import { Card, DiffView, Disclosure, TodoList, changeOf, duration, laidOut, locale, openView, showDetails, todosOf, useClient, type JsonObject, type ToolRow } from "keylane";
import { callFacts, type CallFacts } from "./call";
import { t } from "./messages";
import { AskedView, askedOutcome } from "./asked";
import { FileView } from "./file";
import { useOpened } from "./opened";
import { Terminal } from "./terminal";

/** A tool call: one line until opened. */
export function ToolView({ row }: { row: ToolRow }) {
  const facts = callFacts(row);
  const label = facts.object ? t("toolLabel", { verb: facts.verb, object: facts.object }) : facts.verb;
  return (
    <Disclosure icon={facts.icon} label={label} verb={facts.verb} object={facts.object} aside={<State row={row} facts={facts} />} open={useOpened(row.key)}>
      {() => (
        <>
          <Details row={row} facts={facts} />
          <More row={row} />
        </>
      )}
    </Disclosure>
  );
}

/** The ways to the call's record, which has its times, schema and raw data: beside the conversation, and in the trajectory. */
function More({ row }: { row: ToolRow }) {
  const seq = useClient().open.value?.eventOf(row.key);
  if (seq === undefined || row.state === "preparing") return null;
  return (
    <p class="tool-foot">
      <button type="button" class="tool-link" onClick={() => showDetails(seq)}>{t("showDetails")}</button>
      <button type="button" class="tool-link" onClick={() => openView("trajectory", seq)}>{t("showInTrajectory")}</button>
    </p>
  );
}

/** What a call is opened for: the card that the host's view asks for, else the call as it is. */
function Details({ row, facts }: { row: ToolRow; facts: CallFacts }) {
  const view = row.resultView;
  const change = changeOf(view);
  if (facts.terminal) return <Terminal row={row} command={facts.command} />;
  if (change) return <DiffView change={change} />;
  if (view?.["card"] === "file") return <FileView view={view} />;
  if (view?.["card"] === "todos") return <Todos view={view} />;
  if (view && askedOutcome(view)) return <AskedView view={view} />;
  if (view?.["card"] === "search") return <Card label={t("matches")} text={row.result} />;
  if (view?.["card"] === "skill") return <div class="tool-generic"><Card label={t("skill")} text={row.result} /></div>;
  return <Generic row={row} />;
}

function Todos({ view }: { view: JsonObject }) {
  return (
    <div class="card card-todos" role="group" aria-label={t("todos")}>
      <TodoList todos={todosOf(view)} states={{ pending: t("todoPending"), in_progress: t("todoInProgress"), completed: t("todoCompleted") }} />
    </div>
  );
}

/** A call that did not run took no time, and a stopped one ran for as long as the person let it. */
const untimed: ReadonlySet<ToolRow["state"]> = new Set(["stopped", "unknown", "skipped", "rejected", "refused"]);

/** State in words and colour; a call that went well says nothing but its time. */
function State({ row, facts }: { row: ToolRow; facts: CallFacts }) {
  const failed = row.state === "failed" || (facts.exitCode ?? 0) !== 0 || facts.killed;
  const state = row.state === "done" && failed ? "failed" : row.state;
  const outcome = askedOutcome(row.resultView);
  const waits = state === "running" && row.name === "ask_user_question";
  const text = {
    preparing: t("preparing"),
    running: waits ? t("waitingForYou") : t("running"),
    done: outcome ? t(outcome) : "",
    failed: outcome ? t(outcome) : facts.exitCode ? t("failedExit", { code: facts.exitCode }) : t("failed"),
    stopped: t("stopped"),
    unknown: t("outcomeUnknown"),
    skipped: t("skipped"),
    waiting: t("waitingForApproval"),
    rejected: t("rejected"),
    refused: t("refused"),
  }[state];
  // How long a person thinks is nobody's business.
  const timed = row.name !== "ask_user_question" && !untimed.has(state);
  const took = timed && row.startedAt !== undefined && row.endedAt !== undefined ? duration(row.endedAt - row.startedAt, locale.value) : "";
  const change = changeOf(row.resultView);
  return (
    <>
      {change && change.added > 0 && <span class="tool-added">+{change.added}</span>}
      {change && change.removed > 0 && <span class="tool-removed">−{change.removed}</span>}
      {facts.found !== undefined && <span class="tool-state" data-state="done">{t("found", { n: facts.found })}</span>}
      {text && <span class="tool-state" data-state={outcome ? "done" : waits ? "waiting" : state}>{text}</span>}
      {took && <span class="tool-time">{took}</span>}
    </>
  );
}

function Generic({ row }: { row: ToolRow }) {
  return (
    <div class="tool-generic">
      <Card label={t("arguments")} text={laidOut(row.arguments)} />
      {row.state !== "running" && row.state !== "preparing" && <Card label={t("result")} text={row.result} />}
    </div>
  );
}
