// The composer: what a person writes, sends and stops.

import "./composer.css";
import { effect, useComputed, useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { busyEnter, IconButton, isComposing, isSubmit, newId, RpcError, showShortcuts, useClient, type PluginScope, type PromptMode } from "keylane";
import { AccessChoice, FullAccess, useAccess } from "./access";
import { BusyEnter } from "./busy";
import { lineOf, type Command } from "./commands";
import { Locked } from "./locked";
import { arrived, draft, restoreDraft, sendDraft, setDraft, settleInterrupted } from "./drafts";
import { modeOf } from "./enter";
import { grow, insert, isLong, prepare, showPicker } from "./field";
import { Listbox, optionId } from "./listbox";
import { t } from "./messages";
import { ModelChoice } from "./model";
import { ProblemLine, type Problem } from "./problem";
import { atEdge, Recall } from "./recall";
import { skillsOf } from "./skills";
import { useSuggestions } from "./suggestions";

export function activate(scope: PluginScope): void {
  scope.fill("dock", Composer);
}

function Composer() {
  const client = useClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const card = useRef<HTMLDivElement>(null);
  const models = useRef<HTMLSelectElement>(null);
  const list = useId();
  const recall = useMemo(() => new Recall(), []);
  /** The places whose draft is on its way: a person may be in another one by then. */
  const sending = useSignal<ReadonlySet<string>>(new Set());
  /** How the draft of a place is to be sent that was finished while the message before it was on its way. */
  const next = useMemo(() => new Map<string, PromptMode>(), []);
  const problem = useSignal<Problem | undefined>(undefined);
  /** What a command did, or why it was not carried out. */
  const notice = useSignal("");
  /** The draft that looks like a command and is none, once the person was told. */
  const doubted = useSignal<string | undefined>(undefined);
  const place = client.open.value?.id ?? "";
  const value = useComputed(() => draft(client.open.value?.id ?? ""));
  const blank = value.value.trim() === "";
  const running = client.running.value;
  const asked = client.open.value?.question.value !== undefined;
  const waits = client.open.value?.approval.value !== undefined;

  useLayoutEffect(() => {
    if (problem.value && !(problem.value.what === "notSent" && problem.value.place === place)) problem.value = undefined;
    notice.value = "";
    if (!matchMedia("(pointer: coarse)").matches) field.current?.focus({ preventScroll: true });
  }, [place, asked]);
  // Before anything is painted: a draft that was sent is not seen to go.
  useLayoutEffect(() => effect(() => {
    if (client.open.value) settleInterrupted(client.open.value);
  }), [client]);
  useLayoutEffect(() => {
    if (field.current) grow(field.current);
  }, [value.value, place, asked]);

  const attempt = async (what: Problem["what"], action: () => Promise<unknown>): Promise<boolean> => {
    problem.value = undefined;
    notice.value = "";
    try {
      await action();
      return true;
    } catch (error) {
      problem.value = { what, place, error: error instanceof RpcError ? error : new RpcError("internal", String(error)) };
      return false;
    }
  };

  const sends = (at: string, on: boolean) => {
    const places = new Set(sending.value);
    if (on) places.add(at);
    else places.delete(at);
    sending.value = places;
  };

  /** Takes the draft, and gives it back when what is done with it fails: where it was written, or in the session that was made for it. */
  const take = async (what: Problem["what"], action: (text: string, made: (sessionId: string) => void) => Promise<unknown>, rpcId = ""): Promise<boolean> => {
    const text = value.value;
    let to = place;
    sendDraft(place, rpcId);
    sends(place, true);
    field.current?.focus(); // the person may go on writing at once
    const done = await attempt(what, () => action(text, (sessionId) => (to = sessionId)));
    sends(place, false);
    arrived(place);
    const here = client.open.value?.id ?? "";
    if (to !== place && (done || here === to)) {
      // What was typed while the session was made belongs to it.
      setDraft(to, draft("") + draft(to));
      setDraft("", "");
    } else {
      to = place; // nobody is in the session that was made, and nothing is in it
    }
    if (!done) restoreDraft(to, text);
    if (!done && problem.value?.place === place) problem.value = { ...problem.value, place: to };
    const mode = next.get(place);
    next.delete(place);
    if (here !== to) return done;
    field.current?.focus();
    if (done && mode && to === place) void send(mode);
    return done;
  };

  /** Carries a command out; `rest` is what stands behind it. */
  const run = async (command: Command, rest: string) => {
    notice.value = "";
    if (command.session && place === "") {
      notice.value = t("needsSession", { name: command.name });
    } else if (command.takes && rest === "") {
      notice.value = t("needsMore", { name: command.name });
    } else if (!command.takes && rest !== "") {
      notice.value = t("takesNothing", { name: command.name });
    } else if (command.name === "title") {
      let title = "";
      if (await take("notRenamed", async () => (title = await client.rename(rest)))) notice.value = t("renamed", { title });
    } else if (command.name === "compact") {
      if (await take("notCompacted", () => client.compact())) notice.value = t(client.running.value ? "compactsSoon" : "compacts");
    } else {
      setDraft(place, "");
      if (command.name === "model") showPicker(models.current);
      else showShortcuts();
    }
  };

  const send = async (mode: PromptMode = running ? busyEnter.value.value : "queue") => {
    const text = value.value;
    if (text.trim() === "") return;
    if (sending.value.has(place)) {
      next.set(place, mode); // one after another, so that they arrive in this order
      return;
    }
    const line = lineOf(text, (name) => skillsOf(place).some((skill) => skill.name === name));
    if (line.kind === "command") return run(line.command, line.rest);
    if (line.kind === "unknown" && doubted.value !== text) {
      doubted.value = text;
      problem.value = undefined;
      notice.value = t("noCommand", { name: line.name });
      return;
    }
    doubted.value = undefined;
    const rpcId = newId();
    await take("notSent", (_, made) => client.send(text, mode, rpcId, made), rpcId);
  };

  const stop = () => {
    field.current?.focus(); // the button goes, and would take the focus with it
    void attempt("notStopped", () => client.stop());
  };

  const access = useAccess((mode) => void attempt("notSet", () => client.setMode(mode)));
  const suggestions = useSuggestions({
    field,
    place,
    text: value.value,
    run: (command, typed) => {
      const kept = typed ? "" : value.value;
      void run(command, "").then(() => kept !== "" && restoreDraft(place, kept));
    },
    write: (from, to, text) => field.current && insert(field.current, from, to, text),
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (suggestions.key(event)) return;
    if (isSubmit(event)) {
      event.preventDefault();
      void send(modeOf(event, running, busyEnter.value.value));
      return;
    }
    const older = event.key === "ArrowUp";
    const session = client.open.value;
    if ((!older && event.key !== "ArrowDown") || !session || isComposing(event) || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    const text = atEdge(event.currentTarget as HTMLTextAreaElement, older) ? recall.step(session, value.value, older) : undefined;
    if (text === undefined) return;
    event.preventDefault();
    setDraft(place, text);
    recalled.value++;
  };
  const recalled = useSignal(0);
  useLayoutEffect(() => {
    if (recalled.value > 0) field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, [recalled.value]);

  if (client.open.value?.load.value.kind === "failed") return null; // nothing to write to
  if (asked) return null; // the questions stand here
  const open = client.open.value;
  if (open?.damage.value) return null; // the end of the transcript says what to do
  if (open?.lockedBy.value) return <Locked session={open} holder={open.lockedBy.value} />;
  const active = suggestions.open ? suggestions.active : -1;
  return (
    <div class="composer">
      {problem.value && (problem.value.what === "notSent" || problem.value.place === place) && <ProblemLine problem={problem.value} here={problem.value.place === place} dismiss={() => (problem.value = undefined)} />}
      {notice.value && <p class="composer-notice" role="status">{notice.value}</p>}
      <FullAccess access={access} />
      <div ref={card} class="composer-card" onClick={(event) => event.target === event.currentTarget && field.current?.focus()}>
        <textarea
          ref={field}
          rows={1}
          aria-label={t("message")}
          aria-haspopup={active >= 0 ? "listbox" : undefined}
          aria-autocomplete={active >= 0 ? "list" : undefined}
          aria-controls={active >= 0 ? list : undefined}
          aria-activedescendant={active >= 0 ? optionId(list, active) : undefined}
          placeholder={place === "" ? t("placeholderStart") : running ? t(busyEnter.value.value === "queue" ? "placeholderRunning" : "placeholderSteering") : t("placeholder")}
          value={value.value}
          data-long={isLong(value.value) ? "" : undefined}
          onPaste={prepare}
          onInput={(event) => {
            notice.value = "";
            setDraft(place, event.currentTarget.value);
            suggestions.typed(event.isComposing);
          }}
          onCompositionEnd={() => suggestions.look()}
          onKeyUp={(event) => suggestions.look(event.isComposing)}
          onClick={() => suggestions.look()}
          onFocusOut={suggestions.leave}
          onKeyDown={onKeyDown}
        />
        {active >= 0 && (
          <Listbox
            id={list}
            anchor={card}
            label={t(suggestions.kind === "file" ? "files" : "commands")}
            groups={suggestions.groups}
            active={active}
            note={suggestions.note}
            hover={suggestions.hover}
          />
        )}
        <div class="composer-foot">
          <IconButton
            icon="plus"
            label={t("commands")}
            aria-haspopup="listbox"
            aria-expanded={active >= 0 && suggestions.kind === "command"}
            onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
            onClick={suggestions.toggle}
          />
          <ModelChoice selectRef={models} onSelect={(target) => void attempt("notSelected", () => client.selectModel(target))} />
          <AccessChoice access={access} />
          <span class="composer-status" role="status" data-state={waits ? "waiting" : running ? "running" : undefined}>
            {waits ? t("waits") : running ? t("working") : sending.value.has(place) ? t("sending") : ""}
          </span>
          {running && <IconButton icon="square" label={t("stop")} look={blank ? "primary" : "plain"} onClick={stop} />}
          {running && <BusyEnter />}
          {(!running || !blank) && <IconButton icon="arrow-up" label={t("send")} look="primary" disabled={blank || sending.value.has(place)} onClick={() => void send()} />}
        </div>
      </div>
    </div>
  );
}
