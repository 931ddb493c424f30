// What a session has cost so far, counted from its log: the host's word as of
// some event, and the events since.

import type { ContextUse, HistoryPage, JsonObject, SessionEvent, Usage } from "../wire/types";
import { integer, isReplacement, object } from "./events";

export interface Stats {
  readonly turns: number;
  readonly steps: number;
  readonly usage: Usage;
  readonly context: ContextUse;
}

export const noStats: Stats = { turns: 0, steps: 0, usage: { inputTokens: 0, outputTokens: 0 }, context: { used: 0, window: 0 } };

/** What the host says of the whole log. */
export function told(values: NonNullable<HistoryPage["projections"]>["values"]): Stats {
  return {
    turns: values.turns ?? 0,
    steps: values.steps ?? 0,
    usage: values.usage ?? noStats.usage,
    context: values.context ?? noStats.context,
  };
}

/** Counts one more event; the same stats when it costs nothing. */
export function count(stats: Stats, event: SessionEvent): Stats {
  switch (event.type) {
    case "turn/start":
      return { ...stats, turns: stats.turns + 1 };
    case "step/start":
      return { ...stats, steps: stats.steps + 1 };
    case "request/context":
      return { ...stats, context: { ...stats.context, window: integer(event.data["contextWindow"]) ?? 0 } };
    case "assistant/message": {
      if (isReplacement(event) || !("usage" in event.data)) return stats;
      const usage = usageOf(event.data);
      const used = held(usage);
      return { ...stats, usage: sum(stats.usage, usage), context: used > 0 ? { ...stats.context, used } : stats.context };
    }
    case "compaction/summary":
      return { ...stats, usage: sum(stats.usage, usageOf(event.data)) };
    case "compaction/end": {
      const used = integer(event.data["contextTokens"]) ?? 0;
      return used > 0 ? { ...stats, context: { ...stats.context, used } } : stats;
    }
    default:
      return stats;
  }
}

/** What went into the model, from a cache or not. */
export function inputOf(usage: Usage): number {
  return usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
}

function usageOf(data: JsonObject): Usage {
  const usage = object(data["usage"]);
  const tokens = (name: string): number => integer(usage[name]) ?? 0;
  return {
    inputTokens: tokens("inputTokens"), outputTokens: tokens("outputTokens"), cacheReadTokens: tokens("cacheReadTokens"),
    cacheWriteTokens: tokens("cacheWriteTokens"), reasoningTokens: tokens("reasoningTokens"),
  };
}

/** What the window holds after an answer: later requests don't show its reasoning. 0 when the provider didn't say. */
function held(usage: Usage): number {
  const input = inputOf(usage);
  return input > 0 ? input + Math.max(0, usage.outputTokens - (usage.reasoningTokens ?? 0)) : 0;
}

function sum(a: Usage, b: Usage): Usage {
  const add = (name: "cacheReadTokens" | "cacheWriteTokens" | "reasoningTokens"): number => (a[name] ?? 0) + (b[name] ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens, cacheReadTokens: add("cacheReadTokens"),
    cacheWriteTokens: add("cacheWriteTokens"), reasoningTokens: add("reasoningTokens"),
  };
}
