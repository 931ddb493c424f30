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
export { closeDirectoryDialog, directoryAsked, openDirectoryDialog, type DirectoryRequest } from "./model/directories";
export { part, partsLoading } from "./model/parts";
export { contentText, integer, isForeign, isReplacement, list, messageOf, object, sourceKind, text, todosOf } from "./model/events";
export { headSeq, type LogWindow } from "./model/window";
export { inputOf } from "./model/stats";
export { titleTaken } from "./model/workspaces";
export { newId } from "./wire/id";
export { RpcError } from "./wire/rpc";
export type { CredentialItem, Damage, Holder, ModelTarget, ProviderInfo, SearchAnswer, SearchMark, SessionSummary, Todo, Question, PendingQuestions, Answer, PendingApproval, Decision, Mode, SettingsProblem, Workspace, Json, JsonObject, SessionEvent, ViewedEvent, Usage, PromptMode, QueueAction, SkillView, PermissionSetting, HostReport, DirectoryListing, StorageTrouble } from "./wire/types";

export { SlotRegistry, type PluginScope, type SlotName, type SlotEntry, type SettingsSection, type View } from "./shell/slots";
export { disabledPlugins, noteDisabled, notePage, notePluginFailure, pageRev, pluginFailures, reasonOf, watchUncaught, type FailureMoment, type PluginFailure } from "./shell/health";
export { defineMessages, locale, preferred, speak, type Locale, type Messages } from "./shell/i18n";

export { busyEnter, groupBy, language, permission, theme, toggledGroups, unread, type KeptSet, type Preference } from "./model/preferences";
export { settings } from "./model/settings";
export { closeSettings, openSettings, settingsShown } from "./shell/settings";
export { keptMap, type KeptMap } from "./model/kept";
export { showShortcuts, shortcutsAsked } from "./shell/help";
export { narrow, showSidebar, sidebarOpen } from "./shell/sidebar";
export { closeDetails, details, detailsAsked, leaveDetails, showDetails, turnDetails, type Details } from "./shell/details";

export { Button, IconButton } from "./ui/button";
export { Icon, type IconName } from "./ui/icon";
export { Disclosure } from "./ui/disclosure";
export { late } from "./ui/late";
export { TodoList } from "./ui/todos";
export { Floating } from "./ui/floating";
export { Menu, type MenuItem } from "./ui/menu";
export { Choices, type Choice } from "./ui/choices";
export { Dialog } from "./ui/dialog";
export { EdgeScroll, RowDrag } from "./ui/drag";
export { isComposing, isSubmit } from "./ui/keys";
export { TypeAhead } from "./ui/typeahead";
export { CopyButton } from "./ui/copy";
export { Card, CappedText, FileCard, useCapped } from "./ui/card";
export { changeOf, type Change } from "./ui/changes";
export { DiffView } from "./ui/diff";
export { laidOut } from "./ui/json";
export { now, relativeTime, duration, seconds } from "./ui/time";
