// The composer: what a person writes, sends and stops.

import "./composer.css";
import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { IconButton, RpcError, useClient, type PluginScope, type PromptMode } from "keylane";
import { AccessChoice, FullAccess, useAccess } from "./access";
import { Locked } from "./locked";
import { draft, restoreDraft, setDraft } from "./drafts";
import { modeOf } from "./enter";
import { t } from "./messages";
import { ModelChoice } from "./model";

export function activate(scope: PluginScope): void {
  scope.fill("dock", Composer);
}

interface Problem {
  readonly what: "notSent" | "notStopped" | "notSelected" | "notSet";
  readonly error: RpcError;
}

function Composer() {
  const client = useClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const sending = useSignal(false);
  const problem = useSignal<Problem | undefined>(undefined);
  const place = client.open.value?.id ?? "";
  const value = useComputed(() => draft(client.open.value?.id ?? ""));
  const blank = value.value.trim() === "";
  const running = client.running.value;
  const asked = client.open.value?.question.value !== undefined;

  useLayoutEffect(() => {
    problem.value = undefined;
    if (!matchMedia("(pointer: coarse)").matches) field.current?.focus({ preventScroll: true });
  }, [place, asked]);
  useLayoutEffect(() => {
    if (field.current) grow(field.current);
  }, [value.value, place, asked]);

  const attempt = async (what: Problem["what"], action: () => Promise<unknown>): Promise<boolean> => {
    problem.value = undefined;
    try {
      await action();
      return true;
    } catch (error) {
      problem.value = { what, error: error instanceof RpcError ? error : new RpcError("internal", String(error)) };
      return false;
    }
  };

  const send = async (mode: PromptMode = "queue") => {
    const text = value.value;
    if (text.trim() === "" || sending.value) return;
    setDraft(place, "");
    sending.value = true;
    const sent = await attempt("notSent", () => client.send(text, mode));
    sending.value = false;
    if (!sent) restoreDraft(client.open.value?.id ?? "", text);
    field.current?.focus();
  };

  const access = useAccess((mode) => void attempt("notSet", () => client.setMode(mode)));

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    void send(modeOf(event, running));
  };

  if (client.open.value?.load.value.kind === "failed") return null; // nothing to write to
  if (asked) return null; // the questions stand here
  const open = client.open.value;
  if (open?.damage.value) return null; // the end of the transcript says what to do
  if (open?.lockedBy.value) return <Locked session={open} holder={open.lockedBy.value} />;
  return (
    <div class="composer">
      {problem.value && <ProblemLine problem={problem.value} dismiss={() => (problem.value = undefined)} />}
      <FullAccess access={access} />
      <div class="composer-card" onClick={(event) => event.target === event.currentTarget && field.current?.focus()}>
        <textarea
          ref={field}
          rows={1}
          aria-label={t("message")}
          placeholder={place === "" ? t("placeholderStart") : running ? t("placeholderRunning") : t("placeholder")}
          value={value.value}
          onInput={(event) => setDraft(place, event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <div class="composer-foot">
          <ModelChoice onSelect={(target) => void attempt("notSelected", () => client.selectModel(target))} />
          <AccessChoice access={access} />
          <span class="composer-status" role="status" data-running={running}>
            {running ? t("working") : sending.value ? t("sending") : ""}
          </span>
          {running && <IconButton icon="square" label={t("stop")} look={blank ? "primary" : "plain"} onClick={() => void attempt("notStopped", () => client.stop())} />}
          {(!running || !blank) && <IconButton icon="arrow-up" label={t("send")} look="primary" disabled={blank || sending.value} onClick={() => void send()} />}
        </div>
      </div>
    </div>
  );
}

/** Makes the field as tall as its text where the browser doesn't by itself. */
function grow(field: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

function ProblemLine({ problem, dismiss }: { problem: Problem; dismiss: () => void }) {
  const { code, message } = problem.error;
  return (
    <div class="composer-problem" role="alert">
      <p>
        <strong>{t(problem.what)}</strong> {code === "unreachable" || code === "timeout" ? t("unreachable") : message}{" "}
        {problem.what === "notSent" && t("kept")} <code>{code}</code>
      </p>
      <IconButton icon="x" label={t("dismiss")} onClick={dismiss} />
    </div>
  );
}
