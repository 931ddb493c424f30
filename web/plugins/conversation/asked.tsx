import type { JsonObject } from "keylane";
import { t } from "./messages";

interface Asked {
  readonly id: string;
  readonly question: string;
}

interface Answered {
  readonly id: string;
  readonly selected?: readonly string[];
  readonly custom?: string;
}

/** Questions that were asked, each with what the person said. */
export function AskedView({ view }: { view: JsonObject }) {
  const questions = Array.isArray(view["questions"]) ? (view["questions"] as unknown as readonly Asked[]) : [];
  const answers = Array.isArray(view["answers"]) ? (view["answers"] as unknown as readonly Answered[]) : undefined;
  return (
    <div class="card card-asked" role="group" aria-label={t("answers")}>
      <dl>
        {questions.map((question) => {
          const answer = answers?.find((item) => item.id === question.id);
          const words = [...(answer?.selected ?? []), ...(answer?.custom ? [answer.custom] : [])];
          return (
            <div key={question.id}>
              <dt>{question.question}</dt>
              <dd data-answered={words.length > 0}>{words.length > 0 ? words.join(", ") : answers ? t("skippedAnswer") : t("noAnswer")}</dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}

/** How questions came out, in a word; undefined while they wait and for other calls. */
export function askedOutcome(view: JsonObject | undefined): "answered" | "dismissed" | "stopped" | undefined {
  if (view?.["card"] !== "question") return undefined;
  return view["outcome"] === "answered" ? "answered" : view["outcome"] === "dismissed" ? "dismissed" : "stopped";
}
