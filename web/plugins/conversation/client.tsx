// The conversation: the open session's transcript.

import "./conversation.css";
import "./markdown.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button, headSeq, openStart, useClient, type OpenSession, type PluginScope } from "keylane";
import { Announcer } from "./announcer";
import { t } from "./messages";
import { placeIn } from "./reading";
import { TranscriptView } from "./transcript";

export function activate(scope: PluginScope): void {
  scope.fill("main", Conversation);
  scope.fill("foot", Announcer); // in no region that is looked at: it is only heard
}

function Conversation() {
  const client = useClient();
  const open = client.open.value;
  if (!open) return null; // the start page, which plugin workspace fills
  switch (open.load.value.kind) {
    case "loading":
      // A session that the first prompt just created has its echo to show.
      return open.pending.value.length > 0 ? <TranscriptView key={open.id} session={open} /> : <Loading />;
    case "failed":
      return <LoadFailure session={open} />;
    case "ready":
      return <Reached key={open.id} session={open} />;
  }
}

/** The transcript, once it reaches back to where the reader left it: coming back must not show another place first. */
function Reached({ session }: { session: OpenSession }) {
  const seq = placeIn(session)?.seq;
  const reached = useSignal(seq === undefined || headSeq(session.window.peek()) <= seq);
  useEffect(() => {
    if (!reached.peek() && seq !== undefined) void session.reach(seq).then(() => (reached.value = true));
  }, []);
  return reached.value ? <TranscriptView session={session} /> : <Loading />;
}

function Loading() {
  return <p class="conversation-state" role="status">{t("loading")}</p>;
}

function LoadFailure({ session }: { session: OpenSession }) {
  const state = session.load.value;
  if (state.kind !== "failed") return null;
  const missing = state.error.code === "session-not-found";
  const titled = useClient().lists.sessions.value.some((item) => item.sessionId === session.id && item.title !== "");
  const Heading = titled ? "h2" : "h1"; // the title stands above
  return (
    <div class="conversation-state">
      <div class="failure" role="alert">
        <Heading class="failure-title">{missing ? t("notFound") : t("loadFailed")}</Heading>
        <p>{missing ? t("notFoundHelp") : state.error.message} <code>{state.error.code}</code></p>
        {missing ? <Button icon="plus" onClick={openStart}>{t("newSession")}</Button> : <Button icon="refresh-cw" onClick={() => session.retry()}>{t("retry")}</Button>}
      </div>
    </div>
  );
}
