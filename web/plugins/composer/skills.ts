// The skills of sessions, as far as they were asked for.

import { signal } from "@preact/signals";
import type { Client, SkillView } from "keylane";

const known = signal<ReadonlyMap<string, readonly SkillView[]>>(new Map());

/** The skills of a session; none until they are there, and none where the host has no skills to tell of. */
export function skillsOf(sessionId: string): readonly SkillView[] {
  return known.value.get(sessionId) ?? [];
}

/** Asks for a session's skills. They are an offer: without them the list is shorter, and that is all. */
export async function fetchSkills(client: Client, sessionId: string): Promise<void> {
  if (sessionId === "") return;
  try {
    const { skills } = await client.rpc.call("skill.list", { sessionId });
    known.value = new Map(known.value).set(sessionId, skills);
  } catch {
    // What was known stays.
  }
}
