// Searching sessions: names at once, in the list that the page has; what was
// said a moment after the last key, by asking the host. No DOM.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { SearchAnswer, SearchMark, SessionSummary } from "keylane";

/** How long the host is not asked after a key. */
const pauseMs = 250;

/** How many sessions are shown. */
export const maxFound = 20;

/** A session that matches: where in its title, and in what was said. Marks count code points. */
export interface Found {
  readonly session: SessionSummary;
  readonly title: readonly SearchMark[];
  readonly snippet: string;
  readonly marks: readonly SearchMark[];
}

/** What is known of what was said: `asking` also before the host is asked. */
type Content = { readonly state: "none" | "asking" | "failed" } | { readonly state: "answered"; readonly answer: SearchAnswer };

/** The host's answer to a query; rejects when there is none. */
type Ask = (query: string, signal: AbortSignal) => Promise<SearchAnswer>;

/** One search box. A newer query gives up the older one, whose answer is never shown, however late it comes. */
export class SessionSearch {
  readonly #query = signal("");
  readonly #content = signal<Content>({ state: "none" });
  #running: AbortController | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** As it was typed. */
  readonly query: ReadonlySignal<string> = this.#query;
  /** Something is searched for. */
  readonly active: ReadonlySignal<boolean> = computed(() => this.#query.value.trim() !== "");
  readonly state: ReadonlySignal<Content["state"]> = computed(() => this.#content.value.state);

  constructor(readonly ask: Ask) {}

  type(query: string): void {
    const same = query.trim() === this.#query.value.trim();
    this.#query.value = query;
    if (same) return;
    this.#giveUp();
    this.#content.value = { state: this.active.value ? "asking" : "none" };
    if (this.active.value) this.#pause = setTimeout(() => void this.#run(), pauseMs);
  }

  /** Asks the host now, and again if it has answered. */
  now(): void {
    if (!this.active.value) return;
    this.#giveUp();
    this.#content.value = { state: "asking" };
    void this.#run();
  }

  /** Ends the search; the box may go on. */
  end(): void {
    this.#giveUp();
  }

  #giveUp(): void {
    clearTimeout(this.#pause);
    this.#running?.abort();
    this.#running = undefined;
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    let content: Content;
    try {
      content = { state: "answered", answer: await this.ask(this.#query.value.trim(), running.signal) };
    } catch {
      content = { state: "failed" };
    }
    if (this.#running === running) this.#content.value = content;
  }

  /** Sessions whose title has every word, then those in which it was said, in the order of the list and of the answer; `more` when some are left out. */
  found(sessions: readonly SessionSummary[]): { readonly items: readonly Found[]; readonly more: boolean } {
    const words = folded(this.#query.value).text.split(/\s+/u).filter((word) => word !== "");
    const content = this.#content.value;
    const answer = content.state === "answered" ? content.answer : { items: [], hasMore: false };
    const said = new Map(answer.items.map((hit) => [hit.sessionId, hit]));
    const items: Found[] = [];
    for (const session of sessions) {
      const title = marksOf(session.title, words);
      if (!title) continue;
      const hit = said.get(session.sessionId);
      said.delete(session.sessionId);
      items.push({ session, title, snippet: hit?.snippet ?? "", marks: hit?.marks ?? [] });
    }
    const listed = new Map(sessions.map((session) => [session.sessionId, session]));
    for (const { sessionId, snippet, marks } of said.values()) {
      const session = listed.get(sessionId); // one that is gone meanwhile is not
      if (session) items.push({ session, title: [], snippet, marks });
    }
    return { items: items.slice(0, maxFound), more: items.length > maxFound || answer.hasMore };
  }
}

/** A text as it is compared: without case, accents and width; `places` are the code points that its UTF-16 units come from. */
function folded(text: string): { readonly text: string; readonly places: readonly number[] } {
  let out = "";
  const places: number[] = [];
  [...text].forEach((character, place) => {
    const plain = character.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    out += plain;
    for (let unit = 0; unit < plain.length; unit++) places.push(place);
  });
  return { text: out, places };
}

/** Where the words are in a title, ascending and without overlap; undefined when one is missing. */
export function marksOf(title: string, words: readonly string[]): readonly SearchMark[] | undefined {
  const { text, places } = folded(title);
  const marked = new Set<number>();
  for (const word of words) {
    let at = text.indexOf(word);
    if (at < 0) return undefined;
    for (; at >= 0; at = text.indexOf(word, at + word.length)) {
      for (let unit = at; unit < at + word.length; unit++) marked.add(places[unit] ?? 0);
    }
  }
  const marks: { start: number; end: number }[] = [];
  for (const place of [...marked].sort((a, b) => a - b)) {
    const last = marks.at(-1);
    if (last && last.end === place) last.end++;
    else marks.push({ start: place, end: place + 1 });
  }
  return marks;
}

/** A text in pieces, each with whether it is marked. */
export function pieces(text: string, marks: readonly SearchMark[]): readonly { readonly text: string; readonly marked: boolean }[] {
  const characters = [...text];
  const out: { text: string; marked: boolean }[] = [];
  let at = 0;
  const add = (end: number, marked: boolean) => {
    if (end > at) out.push({ text: characters.slice(at, end).join(""), marked });
    at = Math.max(at, end);
  };
  for (const { start, end } of marks) {
    add(start, false);
    add(end, true);
  }
  add(characters.length, false);
  return out;
}
