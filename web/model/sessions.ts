// What a person can do to a session of the list, whether it is open or not.
// The lists follow by the host's frames, here and in every other tab. Every
// call rejects with an RpcError.

import type { Rpc } from "../wire/rpc";
import type { Lists } from "./lists";

/** What a title may be at most, in bytes of UTF-8: the host refuses a longer one. */
const titleBytes = 80;

export class Sessions {
  constructor(
    readonly rpc: Rpc,
    readonly lists: Lists,
  ) {}

  /** Resolves to the name as the host keeps it; "title-invalid" for a text that is no name. */
  async rename(sessionId: string, title: string): Promise<string> {
    return (await this.rpc.call("session.rename", { sessionId, title })).title;
  }

  /**
   * Makes a session that begins as a copy of this one, up to the end of the turn that holds event `atSeq`, or of its last completed
   * turn, and resolves to its id. It is called like the original, with the next free number.
   */
  async fork(sessionId: string, atSeq?: number): Promise<string> {
    const title = this.lists.find(sessionId)?.title ?? "";
    const child = await this.rpc.call("session.fork", { sessionId, ...(atSeq === undefined ? {} : { atSeq }) });
    if (title) await this.rename(child.sessionId, numbered(title, this.lists.sessions.value.map((item) => item.title)));
    return child.sessionId;
  }

  /** Puts a session away, or takes it back. */
  async archive(sessionId: string, archived: boolean): Promise<void> {
    await this.rpc.call("workspace.archiveSession", { sessionId, archived });
  }

  /** Removes a session and its log for good. */
  async remove(sessionId: string): Promise<void> {
    await this.rpc.call("session.delete", { sessionId });
  }

  /** Puts a session in front of another one of its folder, or at the end. */
  async move(sessionId: string, beforeId?: string): Promise<void> {
    await this.rpc.call("workspace.moveSession", { sessionId, ...(beforeId === undefined ? {} : { beforeId }) });
  }
}

/** "Plans" becomes "Plans (1)", or the number after the highest that the titles have; a number that it has is replaced. */
export function numbered(title: string, titles: readonly string[]): string {
  const split = (text: string) => /^(.*?)(?: \((\d+)\))?$/s.exec(text);
  const name = split(title)?.[1] ?? title;
  let highest = 0;
  for (const other of titles) {
    const match = split(other);
    if (match?.[1] === name && match[2] !== undefined) highest = Math.max(highest, Number(match[2]));
  }
  const suffix = ` (${highest + 1})`;
  return shortened(name, titleBytes - suffix.length) + suffix;
}

function shortened(text: string, bytes: number): string {
  const encoder = new TextEncoder();
  const characters = [...text];
  while (encoder.encode(characters.join("")).length > bytes) characters.pop();
  return characters.join("").trimEnd();
}
