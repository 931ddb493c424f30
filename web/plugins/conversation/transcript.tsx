import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { address, Button, locale, type OpenSession, type PendingPrompt } from "keylane";
import { Damaged } from "./damaged";
import { t } from "./messages";
import { OpenedContext, openedOf } from "./opened";
import { UserBubble } from "./rows";
import { useStickyScroll } from "./scroll";
import { sections, SectionView } from "./section";
import { Unsaved } from "./unsaved";

/** The scrolling transcript of a session, with what is still on its way at the end. */
export function TranscriptView({ session }: { session: OpenSession }) {
  const transcript = session.transcript.value;
  const pending = session.pending.value;
  const port = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const scroll = useStickyScroll(port, content, transcript.rows[0]?.key, session);
  const parts = useMemo(() => sections(transcript.rows), [transcript.rows]);
  const asked = address.value.event;
  const shown = useSignal<string | undefined>(undefined);

  // The address names an event: the row that tells of it is shown, however far back it lies.
  useEffect(() => {
    shown.value = undefined;
    if (asked === undefined) return;
    void session.reach(asked).then((held) => {
      if (held && address.peek().event === asked) shown.value = session.rowOf(asked);
    });
  }, [asked, session]);
  useLayoutEffect(() => {
    if (shown.value !== undefined) scroll.toRow(shown.value);
  }, [shown.value]);
  return (
    <OpenedContext.Provider value={openedOf(session.id)}>
      <div class="conversation">
        <div class="conversation-port" ref={port} data-conversation-scroll tabIndex={0} role="log" aria-live="off" aria-label={t("messages")}>
          <div class="conversation-column" ref={content}>
            {session.hasMore.value && <Earlier session={session} port={port} />}
            {parts.map((part) => (
              <SectionView key={part.key} section={part} asked={part.rows.some((row) => row.key === shown.value) ? shown.value : undefined} locale={locale.value} />
            ))}
            {session.damage.value && <Damaged session={session} damage={session.damage.value} />}
            {pending.map((prompt) => <Pending key={prompt.rpcId} prompt={prompt} />)}
          </div>
        </div>
        {session.trouble.value && <Unsaved session={session} trouble={session.trouble.value} />}
        {scroll.away.value && (
          <div class="conversation-back">
            <Button icon="arrow-down" onClick={scroll.toBottom}>{t("backToBottom")}</Button>
          </div>
        )}
      </div>
    </OpenedContext.Provider>
  );
}

/** Asks for the page before. While it is on its way, the button keeps the focus; when it was the last, the messages get it. */
function Earlier({ session, port }: { session: OpenSession; port: RefObject<HTMLDivElement | null> }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => () => {
    if (place.current?.contains(document.activeElement)) port.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="conversation-earlier" ref={place}>
      <Button aria-disabled={session.loadingOlder.value} onClick={() => void session.loadOlder()}>
        {session.loadingOlder.value ? t("loadingEarlier") : t("loadEarlier")}
      </Button>
    </div>
  );
}

function Pending({ prompt }: { prompt: PendingPrompt }) {
  const note = { sending: t("sending"), accepted: "", queued: "", steering: t("steering") }[prompt.state];
  return (
    <article class="section section-you" aria-label={t("you")} data-pending={prompt.state} data-pending-steering={prompt.state === "steering" ? "" : undefined}>
      <UserBubble text={prompt.text}>
        {note && <p class="user-note">{note}</p>}
      </UserBubble>
    </article>
  );
}
