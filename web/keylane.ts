// The module "keylane": what the shell and every plugin bundle share, and the
// whole interface of a plugin. A plugin is a folder of web/plugins whose
// client.tsx exports `activate(scope: PluginScope): void`; it registers
// components in the shell's slots and reaches the host through useClient().
//
// Don't import other rooms by relative path: a bundle would carry its own copy
// of their state (tools/webbundle refuses it).

export { ClientContext, useClient, openSession, openStart, sessionOf, sessionPath } from "./model/context";
export { Client } from "./model/client";
export type { OpenSession, LoadState } from "./model/session";
export type { PendingPrompt } from "./model/pending";
export type { Row, UserRow, ContextRow, TextRow, ToolRow, FailureRow, RetryRow, EndingRow, UnknownRow, Transcript } from "./model/rows";
export { part, partsLoading } from "./model/parts";
export { todosOf } from "./model/events";
export { RpcError } from "./wire/rpc";
export type { ModelTarget, ProviderInfo, SessionSummary, Todo, Question, PendingQuestions, Answer, PendingApproval, Decision, Mode, Json, JsonObject, PromptMode, QueueAction } from "./wire/types";

export { SlotRegistry, type PluginScope, type SlotName, type SlotEntry } from "./shell/slots";
export { defineMessages, locale, type Locale, type Messages } from "./shell/i18n";

export { Button, IconButton } from "./ui/button";
export { Icon, type IconName } from "./ui/icon";
export { Disclosure } from "./ui/disclosure";
export { TodoList } from "./ui/todos";
export { CopyButton } from "./ui/copy";
export { Card, CappedText, FileCard, useCapped } from "./ui/card";
export { changeOf, type Change } from "./ui/changes";
export { DiffView } from "./ui/diff";
export { now, relativeTime, duration, seconds } from "./ui/time";
