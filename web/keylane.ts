// The module "keylane": what the shell and every plugin bundle share, and the
// whole interface of a plugin. A plugin is a folder of web/plugins whose
// client.tsx exports `activate(scope: PluginScope): void`; it registers
// components in the shell's slots and reaches the host through useClient().
//
// Don't import other rooms by relative path: a bundle would carry its own copy
// of their state (tools/webbundle refuses it).

export { ClientContext, useClient, openSession, openStart, sessionOf, sessionPath } from "./model/context";
export { address, noteEvent, openView, type Address } from "./model/address";
export { Client } from "./model/client";
export type { OpenSession, LoadState } from "./model/session";
export type { PendingPrompt } from "./model/pending";
export type { Row, UserRow, ContextRow, TextRow, Said, ToolRow, FailureRow, RetryRow, CompactionRow, EndingRow, UnknownRow, Transcript } from "./model/rows";
export { part, partsLoading } from "./model/parts";
export { contentText, integer, isForeign, isReplacement, list, messageOf, object, sourceKind, text, todosOf } from "./model/events";
export { headSeq, type LogWindow } from "./model/window";
export { inputOf } from "./model/stats";
export { newRpcId, RpcError } from "./wire/rpc";
export type { Damage, Holder, ModelTarget, ProviderInfo, SearchAnswer, SearchMark, SessionSummary, Todo, Question, PendingQuestions, Answer, PendingApproval, Decision, Mode, StorageTrouble, Workspace, Json, JsonObject, SessionEvent, ViewedEvent, Usage, PromptMode, QueueAction, SkillView } from "./wire/types";

export { SlotRegistry, type PluginScope, type SlotName, type SlotEntry, type View } from "./shell/slots";
export { defineMessages, locale, type Locale, type Messages } from "./shell/i18n";

export { keptMap, type KeptMap } from "./model/kept";
export { busyEnter, groupBy, toggledGroups, unread, type KeptSet, type Preference } from "./model/preferences";
export { showShortcuts, shortcutsAsked } from "./shell/help";
export { narrow, showSidebar, sidebarOpen } from "./shell/sidebar";

export { Button, IconButton } from "./ui/button";
export { Icon, type IconName } from "./ui/icon";
export { Disclosure } from "./ui/disclosure";
export { TodoList } from "./ui/todos";
export { Floating } from "./ui/floating";
export { Menu, type MenuItem } from "./ui/menu";
export { Dialog } from "./ui/dialog";
export { RowDrag } from "./ui/drag";
export { isComposing, isSubmit } from "./ui/keys";
export { CopyButton } from "./ui/copy";
export { Card, CappedText, FileCard, useCapped } from "./ui/card";
export { changeOf, type Change } from "./ui/changes";
export { DiffView } from "./ui/diff";
export { laidOut } from "./ui/json";
export { now, relativeTime, duration, seconds } from "./ui/time";
