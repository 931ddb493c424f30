// The questions, one at a time.

import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button, IconButton, isComposing, isSubmit, RpcError, useClient, type OpenSession, type PendingQuestions } from "keylane";
import { answersOf, choose, forget, isAnswered, keep, nextOpen, select, sheetOf, write, type Sheet } from "./answers";
import { t } from "./messages";
import { Options } from "./options";

export function Surface({ session, asked }: { session: OpenSession; asked: PendingQuestions }) {
  const client = useClient();
  const root = useRef<HTMLElement>(null);
  const heading = useId();
  const sending = useSignal(false);
  const status = useSignal("");
  const sheet = sheetOf(asked);
  const count = asked.questions.length;
  const question = asked.questions[sheet.at];
  const choice = sheet.choices[sheet.at];

  useLayoutEffect(() => {
    // The composer's field is gone, and with it the focus; what is asked takes it, unless the person is elsewhere.
    const active = document.activeElement;
    if (active && active !== document.body && !root.current?.contains(active)) return;
    root.current?.querySelector<HTMLElement>("input:checked, input, textarea")?.focus({ preventScroll: true });
  }, [sheet.at]);

  if (!question || !choice) return null;

  const show = (next: Sheet) => {
    status.value = "";
    keep(asked, next);
  };
  const respond = async (action: () => Promise<void>) => {
    if (sending.value) return;
    sending.value = true;
    status.value = "";
    try {
      await action();
    } catch (error) {
      const code = error instanceof RpcError ? error.code : "internal";
      status.value = code === "unreachable" || code === "timeout" ? t("unreachable") : code === "not-pending" ? t("notPending") : t("refused", { code });
    } finally {
      sending.value = false;
    }
  };
  const answer = async (last: Sheet | undefined) => {
    await session.answer(asked, last && answersOf(asked, last));
    forget(asked);
  };
  /** Goes to the next question without an answer, or stays when there is none. */
  const advance = (next: Sheet) => show({ ...next, at: nextOpen(next) ?? next.at });
  const submit = () => {
    if (!isAnswered(choice)) {
      status.value = t("answerFirst");
      return;
    }
    const open = nextOpen(sheet);
    if (open !== undefined) show({ ...sheet, at: open });
    else void respond(() => answer(sheet));
  };
  const skip = () => {
    const next = choose(sheet, { skipped: true, selected: [], custom: "" });
    const open = nextOpen(next);
    keep(asked, next);
    if (open !== undefined) show({ ...next, at: open });
    else void respond(() => answer(next));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || event.target instanceof HTMLButtonElement) return;
    const writes = event.target instanceof HTMLTextAreaElement;
    if (isSubmit(event)) {
      event.preventDefault();
      submit();
      return;
    }
    const option = /^[1-9]$/.test(event.key) && !writes && !event.ctrlKey && !event.altKey && !event.metaKey ? question.options?.[Number(event.key) - 1] : undefined;
    if (!option) return;
    event.preventDefault();
    const next = select(sheet, question, option.label);
    if (question.multiSelect) show(next);
    else advance(next);
  };

  return (
    <section ref={root} class="question" aria-label={question.question} data-question-key={asked.questionRpcId} onKeyDown={onKeyDown}>
      <div class="question-head">
        <div>
          {question.header && <p class="question-header">{question.header}</p>}
          <h2 id={heading}>{question.question}</h2>
        </div>
        <IconButton icon="x" label={t("dismissAll")} disabled={sending.value} onClick={() => void respond(() => answer(undefined))} />
      </div>
      <div class="question-scroll" data-question-scroll>
        <Options
          key={sheet.at}
          question={question}
          selected={choice.selected}
          labelledBy={heading}
          onSelect={(label, pointer) => {
            const next = select(sheet, question, label);
            // A click decides; the arrow keys only move.
            if (pointer && !question.multiSelect) advance(next);
            else show(next);
          }}
        />
        <textarea
          rows={1}
          class="question-custom"
          aria-label={t("yourAnswer")}
          placeholder={t("yourAnswer")}
          value={choice.custom}
          onInput={(event) => show(write(sheet, question, event.currentTarget.value))}
        />
      </div>
      <div class="question-foot">
        {count > 1 && (
          <div class="question-pages">
            <IconButton icon="chevron-left" label={t("previous")} disabled={sheet.at === 0} onClick={() => show({ ...sheet, at: sheet.at - 1 })} />
            <span class="question-page">{t("page", { at: sheet.at + 1, count })}</span>
            <IconButton icon="chevron-right" label={t("next")} disabled={sheet.at === count - 1} onClick={() => show({ ...sheet, at: sheet.at + 1 })} />
          </div>
        )}
        <p class="question-status" role="status">{status.value || (sending.value ? t("sending") : "")}</p>
        <Button disabled={sending.value} onClick={skip}>{t("skip")}</Button>
        <IconButton icon="square" label={t("stop")} onClick={() => void respond(() => client.stop())} />
        <Button look="primary" disabled={sending.value} onClick={submit}>{t("submit")}</Button>
      </div>
    </section>
  );
}
