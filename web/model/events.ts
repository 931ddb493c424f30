// Reads the data of session events. A log may come from another version or a
// plugin this page doesn't know, so nothing here trusts a field's type.

import type { Json, JsonObject, Mode, SessionEvent, Todo } from "../wire/types";

export function object(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function integer(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

/**
 * The families of types that the host keeps its books in. One of their events that makes no row has nothing to say to a person; one of
 * another family comes from a version or a plugin that this page does not know.
 */
const families: ReadonlySet<string> = new Set([
  "session", "turn", "step", "user", "steering", "assistant", "tool", "request", "llm", "agent", "todo", "approval", "compaction", "compact", "subagent", "command", "skill",
]);

/** True for a type that this page knows nothing about. */
export function isForeign(type: string): boolean {
  return !families.has(type.split("/", 1)[0]!);
}

/** The message an event carries: nested in today's logs, the data itself for user messages and in older logs. */
export function messageOf(event: SessionEvent): JsonObject {
  return "message" in event.data ? object(event.data["message"]) : event.data;
}

/** The text blocks of a content list, joined by blank lines. */
export function contentText(content: Json | undefined): string {
  return list(content)
    .map(object)
    .filter((block) => text(block["type"]) === "text")
    .map((block) => text(block["text"]))
    .join("\n\n");
}

/** True for a copy that replaces history for the model only; people keep seeing the original. */
export function isReplacement(event: SessionEvent): boolean {
  return typeof event.surfaceOp === "object" && event.surfaceOp !== null;
}

/** Who a user-role message came from: its source's kind, "user" for a person. */
export function sourceKind(message: JsonObject): string {
  return text(object(message["source"])["kind"]) || "user";
}

export function sourceRpcId(message: JsonObject): string {
  return text(object(message["source"])["rpcId"]);
}

/** The to-do list in the data of a todo/write event or of a call's card. */
export function todosOf(data: JsonObject): readonly Todo[] {
  return list(data["todos"]).map((value) => {
    const status = text(object(value)["status"]);
    return { content: text(object(value)["content"]), status: status === "completed" || status === "in_progress" ? status : "pending" };
  });
}

/** The mode in the data of an approval/policy event; undefined for one that this page does not know. */
export function modeOf(data: JsonObject): Mode | undefined {
  const policy = data["policy"];
  return policy === "ask" || policy === "read-only" || policy === "full" ? policy : undefined;
}
