// Made by //tools:types from the Go types of host/api. Do not edit: change them, and run
//
//	./bazelw run //tools:types

/** Any JSON, as the host relays it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Accepted says that the host has it. */
export interface Accepted {
  readonly accepted: boolean;
}

export interface AddedFrame {
  readonly sessionId: string;
  readonly blank: boolean;
  readonly cwd: string;
}

/** Answer is the answer to one question. */
export interface Answer {
  readonly id: string;
  /** labels; never null */
  readonly selected: readonly string[];
  readonly custom?: string;
}

/** AnswerValue answers a question/requested, one answer per question and in their order. */
export interface AnswerValue {
  readonly sessionId: string;
  readonly answer: Answers;
}

export interface Answers {
  readonly answers: readonly Answer[];
}

/** ApprovalOutcome of a wait; a value of approval/decided and of the wire. */
export type ApprovalOutcome = "allowed-once" | "allowed-session" | "rejected" | "cancelled";

/** ApprovalResolvedFrame ends an approvalRequestedFrame, whoever decided. */
export interface ApprovalResolvedFrame {
  readonly sessionId: string;
  readonly approvalId: string;
  readonly outcome: ApprovalOutcome;
}

export interface ArchivePayload {
  readonly sessionId: string;
  readonly archived: boolean;
}

export interface ArchivedFrame {
  readonly archivedSessionIds: readonly string[];
}

/** BrokenSkillView is one that it cannot, and why. */
export interface BrokenSkillView {
  /** "" when not even that is known */
  readonly name: string;
  /** absolute path */
  readonly file: string;
  readonly problem: string;
}

/** BusyEnterSetting is what Enter does with a message while a turn runs. */
export type BusyEnterSetting = "queue" | "steer";

export interface ChangedFrame {
  readonly sessionId: string;
  readonly title: string;
  readonly updatedAt: number;
}

/** ContentPart is a part of what a person says. */
export interface ContentPart {
  readonly type: "text";
  readonly text: string;
}

/** ContextUse is in tokens; 0 is not known. Used is as of the last answer, or of a compaction after it. */
export interface ContextUse {
  readonly used: number;
  readonly window: number;
}

export interface CreateDirectoryPayload {
  /** An absolute path, or begins with "~". */
  readonly parent: string;
  readonly name: string;
}

/**
 * CreatePayload names the folder by path or by workspace, not by both; without either it is the
 * default one. A model goes with its provider.
 */
export interface CreatePayload {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly workspaceId?: string;
  readonly provider?: string;
  readonly model?: string;
}

export interface CreateWorkspacePayload {
  readonly path?: string;
  readonly name?: string;
}

export interface CreatedDirectory {
  /** The new folder's canonical path. */
  readonly path: string;
}

export interface CreatedWorkspace {
  readonly workspace: Workspace;
  readonly created: boolean;
}

/** CredentialItem is one credential. */
export interface CredentialItem {
  readonly ref: string;
  /** Of who needs it, as people read it. */
  readonly name: string;
  /** Where the one that counts comes from. */
  readonly source: CredentialSource;
  /** Whether the file has one, also while another counts. */
  readonly stored: boolean;
  /** variable of the environment that is asked before the file; absent when none is. */
  readonly variable?: string;
}

/** CredentialSource is where a credential comes from. */
export type CredentialSource = "none" | "row" | "environment" | "stored";

/** CredentialsDescription tells of the credentials that providers need, and never of their values. */
export interface CredentialsDescription {
  readonly items: readonly CredentialItem[];
  /** Where the stored ones are. */
  readonly file: string;
  /** What a person has to mend about the file; absent when nothing is. */
  readonly problem?: string;
}

/** CredentialsFrame tells that a credential was stored or removed here. */
export interface CredentialsFrame {
  readonly ref: string;
}

/** Damage is what a person can know of a damaged log and do about it. */
export interface Damage {
  /** SessionDamaged */
  readonly code: ErrorCode;
  readonly file: string;
  /** the first row that is no good, the header being 1 */
  readonly row: number;
  /** where in the file the piece with that row starts */
  readonly byte: number;
  readonly reason: string;
  /** lostRows counts the rows from Row on that can still be told apart, LostBytes everything from Byte on. */
  readonly lostRows: number;
  readonly lostBytes: number;
  /** the command that puts it right */
  readonly repair: string;
}

/** Decision is what a person can decide about a call. */
export type Decision = "allowed-once" | "allowed-session" | "rejected";

/** DecisionValue answers an approval/requested. */
export interface DecisionValue {
  readonly sessionId: string;
  /** What the response's rpcId says. */
  readonly approvalId: string;
  readonly outcome: Decision;
}

/** DirectoryCrumb is a folder on the way from the root to the one that is listed. */
export interface DirectoryCrumb {
  readonly name: string;
  readonly path: string;
}

/** DirectoryEntry is a folder in a list. */
export interface DirectoryEntry {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly hidden: boolean;
}

/** DirectoryListing is what host.listDirectory answers. */
export interface DirectoryListing {
  /** The folder's canonical path. */
  readonly path: string;
  /** The person's home folder. */
  readonly home: string;
  /** crumbs lead from the root to Path, both included. */
  readonly crumbs: readonly DirectoryCrumb[];
  /** The folders in it, by name, hidden ones last. */
  readonly entries: readonly DirectoryEntry[];
  /** Whether there are more than were listed. */
  readonly truncated: boolean;
}

export interface DirectoryPayload {
  /** Absolute, or begins with "~"; empty means the person's home folder. */
  readonly path?: string;
}

/** ErrorCode is why a call failed. The set is closed; clients branch on it. */
export type ErrorCode = "bad-request" | "session-not-found" | "session-conflict" | "session-locked" | "session-damaged" | "session-unsupported" | "session-unreadable" | "fork-unavailable" | "model-unavailable" | "workspace-not-found" | "workspace-invalid-path" | "workspace-name-conflict" | "workspace-move-invalid" | "directory-unreadable" | "directory-exists" | "directory-create-failed" | "queue-item-not-found" | "steer-unavailable" | "title-invalid" | "compaction-unavailable" | "settings-conflict" | "settings-rejected" | "credential-rejected" | "search-unavailable" | "internal";

export interface EventFrame {
  readonly sessionId: string;
  readonly event: SessionEvent;
  readonly view?: ToolView;
}

/** FileItem is a file of a session's folder. */
export interface FileItem {
  /** relative to the folder, with slashes */
  readonly path: string;
}

export interface FileList {
  /** best match first */
  readonly items: readonly FileItem[];
  /** truncated tells that more files match, or that the folder was too large to be searched whole. */
  readonly truncated: boolean;
}

export interface FilesPayload {
  /** sessionId names the session in whose folder is searched; empty means that of WorkspaceID. */
  readonly sessionId: string;
  /** workspaceId names the workspace that is searched where there is no session yet; without it that is the folder of new sessions. */
  readonly workspaceId?: string;
  /** What a person has typed of a path; empty asks for the files nearest to the top. */
  readonly query: string;
}

/** ForkPayload names the session to copy, and an event of the last turn that the copy has; without one it is the last completed turn. */
export interface ForkPayload {
  readonly sessionId: string;
  readonly atSeq?: number;
}

/** GroupBySetting is whether sessions are grouped by their folders. */
export type GroupBySetting = "workspace" | "none";

/** HistoryPage is a page of whole turns. Projections are of the whole log, up to AsOfSeq. */
export interface HistoryPage {
  readonly events: readonly ViewedEvent[];
  readonly hasMore: boolean;
  readonly projections: Projections;
  /** Another host that has the session open: what it writes is not on this host's streams. */
  readonly lockedBy?: Holder;
  /** damage says that the log cannot be read to its end: the events are what is before the damage. */
  readonly damage?: Damage;
}

/** HistoryPayload asks for the turns before BeforeSeq, or for the last ones. */
export interface HistoryPayload {
  readonly sessionId: string;
  readonly beforeSeq?: number;
  /** 24 unless said otherwise. */
  readonly maxTurns?: number;
}

/** Holder is the host that has a session open. All zero but known to exist when it has not said yet who it is. */
export interface Holder {
  readonly pid: number;
  /** Unix ms */
  readonly hostStartedAt: number;
  /** Unix ms: when it opened the session */
  readonly since: number;
}

/** HostDescription is what the host is, and what it can offer. */
export interface HostDescription {
  readonly version: string;
  /** The default folder of new sessions. */
  readonly cwd: string;
  /** Where the host keeps a person's files. */
  readonly home: string;
  /** provider and Model are what sessions use that chose nothing; empty when there is none. */
  readonly provider: string;
  readonly model: string;
  /** What new sessions may do that chose nothing: the person's preference, or else the host's; see package approval. */
  readonly mode: Mode;
  readonly attachedSessions: number;
  readonly providers: readonly ProviderInfo[];
}

/** HostReport is the boot report, and what a person is asked for who reports a problem. */
export interface HostReport {
  readonly version: string;
  /** The toolchain that built the host, Platform what it was built for. */
  readonly goVersion: string;
  readonly platform: string;
  /** Where the host keeps a person's files, Config the file of patches in it, whether or not there is one. */
  readonly home: string;
  readonly config: string;
  /** All rows of the composition: failed, pending, started, disabled. */
  readonly rows: readonly RowReport[];
}

/** ListProblem is a file that a list is made from and that cannot be read. It is a person's to mend. */
export interface ListProblem {
  readonly file: string;
  readonly cause: string;
}

/** LocaleSetting is the language of the page; "" is as the browser says. */
export type LocaleSetting = "" | "en" | "zh";

/** Mode is what a session may do without asking; a value of approval/policy and of the wire. */
export type Mode = "read-only" | "ask" | "full";

export interface ModePayload {
  readonly sessionId: string;
  readonly mode: Mode;
}

export interface ModeValue {
  readonly mode: Mode;
}

/** ModelInfo is one entry of a provider's catalogue. */
export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  /** In tokens; 0 = unknown. */
  readonly contextWindow?: number;
}

/** ModelTarget is a model of a provider. */
export interface ModelTarget {
  readonly provider: string;
  readonly model: string;
}

/** MovePayload names a session, and the one of the same folder that it goes in front of; without one it goes to the end. */
export interface MovePayload {
  readonly sessionId: string;
  readonly beforeId?: string;
}

/** MoveWorkspacePayload names a workspace, and the one that it goes in front of; without one it goes to the end. */
export interface MoveWorkspacePayload {
  readonly workspaceId: string;
  readonly beforeId?: string;
}

/** Option is one answer to choose. Labels are unique within a question. */
export interface Option {
  readonly label: string;
  readonly description?: string;
}

/** PendingApproval asks the person to allow a call; a client-response to its rpcId decides. */
export interface PendingApproval {
  readonly sessionId: string;
  /** The frame's rpcId, which a decision refers to. */
  readonly approvalId: string;
  readonly toolName: string;
  readonly callId: string;
  /** What the call would do, in the form of a tool's result view. */
  readonly view?: JsonObject;
}

/** PendingQuestions asks the person; a client-response to its rpcId answers it. */
export interface PendingQuestions {
  readonly sessionId: string;
  /** The frame's rpcId, which an answer refers to. */
  readonly questionRpcId: string;
  readonly questions: readonly Question[];
}

/** PermissionSetting is what new sessions may do; "" is as the host's composition says. */
export type PermissionSetting = "" | "read-only" | "ask" | "full";

/** Placement is what a message waits for: a turn of its own, or the running turn's next step. */
export type Placement = "queued" | "steering";

/** ProjectionValues by key. */
export interface ProjectionValues {
  readonly title: string;
  readonly turns: number;
  readonly running: boolean;
  readonly model: ModelTarget;
  /** What waits; for an attached session session/queue tells more precisely. */
  readonly queue: readonly QueueItem[];
  /** The agent's to-do list, never null. */
  readonly todos: readonly Todo[];
  /** What the session may do, see package approval. */
  readonly mode: Mode;
  /** The model calls of all turns, failed attempts not counted. */
  readonly steps: number;
  /** usage counts the tokens of all answers and summaries. */
  readonly usage: Usage;
  /** How full the model's window is. */
  readonly context: ContextUse;
}

/** Projections are what the whole log amounts to. */
export interface Projections {
  readonly asOfSeq: number;
  readonly values: ProjectionValues;
}

/** PromptMode is what a prompt does while a turn runs: wait for a turn of its own, or join this one at its next step. */
export type PromptMode = "queue" | "steer";

export interface PromptPayload {
  readonly sessionId: string;
  readonly mode: PromptMode;
  readonly content: readonly ContentPart[];
}

/** ProviderInfo is what a provider tells about itself. */
export interface ProviderInfo {
  readonly id: string;
  readonly name: string;
  readonly models: readonly ModelInfo[];
  /** Whether a call has a chance; Reason is a text code that says why not, e.g. "missing-key". */
  readonly ready: boolean;
  readonly reason?: string;
  /** demo marks a provider that answers from a recording, whatever it is asked. */
  readonly demo?: boolean;
  /** What a demo suggests to ask, in order. */
  readonly prompts?: readonly string[];
}

/** Question is one thing to ask. Without options only words of one's own can answer it. */
export interface Question {
  /** unique among the questions of one call */
  readonly id: string;
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly Option[];
  readonly multiSelect?: boolean;
}

/** QuestionOutcome of questions; a value of the wire. */
export type QuestionOutcome = "answered" | "cancelled";

/** QueueAction is what to do with a message that waits. */
export type QueueAction =
  | { readonly kind: "edit"; readonly content: readonly ContentPart[] }
  | { readonly kind: "remove" }
  | { readonly kind: "steer" }
  | { readonly kind: "move"; readonly beforeId?: string };

export interface QueueFrame {
  readonly sessionId: string;
  readonly items: readonly QueueItem[];
}

/**
 * QueueItem is a message that waits, or has been taken by a turn and is not yet in the
 * log as a user/message: a page that shows both never has a moment without it.
 */
export interface QueueItem {
  readonly id: string;
  readonly placement: Placement;
  readonly message: JsonObject;
}

/** Receipt is what POST /api/respond answers. */
export interface Receipt {
  readonly accepted: boolean;
  readonly reason?: RefusalReason;
}

/** RefusalReason is why a receipt accepts nothing. */
export type RefusalReason = "not-pending" | "bad-response";

export interface RemovedFrame {
  readonly sessionId: string;
}

export interface RenamePayload {
  readonly sessionId: string;
  readonly title: string;
}

export interface RenameWorkspacePayload {
  readonly workspaceId: string;
  readonly title: string;
}

export interface Renamed {
  /** The title as it is kept: on one line, one space between words. */
  readonly title: string;
}

/** ResolvedFrame ends a requestedFrame, whoever answered. */
export interface ResolvedFrame {
  readonly sessionId: string;
  readonly questionRpcId: string;
  readonly outcome: QuestionOutcome;
}

/** Resync says that frames are missing: what follows is the baseline. */
export interface Resync {
  readonly reason: ResyncReason;
}

/** ResyncReason is why frames are missing. */
export type ResyncReason = "epoch" | "too-old" | "overflow";

/** RowReport is what became of one row of the composition. */
export interface RowReport {
  readonly id: string;
  readonly plugin: string;
  /** The name of the last layer that set something of the row: a file, a flag, or a shipped list. */
  readonly layer: string;
  readonly required: boolean;
  readonly state: RowState;
  /** reason says why the row does not run, in English, as the terminal does; absent of one that runs. */
  readonly reason?: string;
  /** Where that can be mended: file:line:column, or where the row was written. */
  readonly place: string;
}

/** RowState is what became of a row. */
export type RowState = "failed" | "pending" | "started" | "disabled";

export interface SearchAnswer {
  /** At most 20, the session that was active last first. */
  readonly items: readonly SearchHit[];
  /** HasMore: there are others. */
  readonly hasMore: boolean;
}

/** SearchHit is a session in which everything was said that was asked for. */
export interface SearchHit {
  readonly sessionId: string;
  /** A piece of what was said, at most 240 code points on one line. */
  readonly snippet: string;
  /** What was asked for, as far as the snippet has it: code points from start up to end, ascending. */
  readonly marks: readonly SearchMark[];
}

/** SearchMark is a piece of an excerpt that the query asked for: code points from Start up to End. */
export interface SearchMark {
  readonly start: number;
  readonly end: number;
}

export interface SearchPayload {
  /** On one line; white space around it does not count. */
  readonly query: string;
}

export interface SelectPayload {
  readonly sessionId: string;
  readonly provider: string;
  readonly model: string;
}

export interface Selection {
  readonly selected: ModelTarget;
}

/** SessionEvent is what a session.Event is in JSON: one event of a session's log. */
export interface SessionEvent {
  /** One of package session's, or one that nobody here knows. */
  readonly type: string;
  /** seq counts from 0 without gaps. */
  readonly seq: number;
  /** In Unix milliseconds and may go backwards. */
  readonly time: number;
  readonly data: JsonObject;
  /** The earlier events this one was made from. */
  readonly sourceEventSeqs?: readonly number[];
  /** surfaceOp says how the event changes the sequence of model messages. */
  readonly surfaceOp?: Json;
  /** ignorable lets a reader that does not know the type skip the event. */
  readonly ignorable?: boolean;
}

export interface SessionList {
  readonly items: readonly SessionSummary[];
}

/** SessionRef names a session. */
export interface SessionRef {
  readonly sessionId: string;
}

/** SessionSummary is one row of session.list. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly title: string;
  /** The later of creation and the person's last message, Unix ms. */
  readonly updatedAt: number;
  readonly running: boolean;
  /** Whether no turn was ever started. */
  readonly blank: boolean;
  readonly cwd: string;
  /** problem says why the session cannot be opened; empty when it can. */
  readonly problem?: string;
  /** Another host that has the session open: it can be read and not gone on with. */
  readonly lockedBy?: Holder;
}

export interface SetCredentialPayload {
  readonly ref: string;
  /** Stored without the white space around it. No answer ever has it. */
  readonly value: string;
}

/** SettingsChanges has the settings to change. */
export interface SettingsChanges {
  readonly "ui-theme.preference"?: ThemeSetting;
  readonly "locale.preference"?: LocaleSetting;
  readonly "ui-conversation.busyEnter"?: BusyEnterSetting;
  readonly "ui-sidebar.groupBy"?: GroupBySetting;
  readonly "permission.defaultPreset"?: PermissionSetting;
}

/** SettingsDescription is what the file of settings says. */
export interface SettingsDescription {
  /** revision names the file's content; "" is no file. */
  readonly revision: string;
  readonly values: SettingsValues;
  /** Where people find it. */
  readonly file: string;
  /** What new sessions may do while permission.defaultPreset is "". */
  readonly hostMode: Mode;
  /** The first thing in the file that does not count; absent when all of it does. */
  readonly problem?: SettingsProblem;
}

/** SettingsFrame tells that the file has changed, whoever did it; settings.describe says how. */
export interface SettingsFrame {
  readonly revision: string;
}

/** SettingsProblem is a place of the file that a person has to mend. */
export interface SettingsProblem {
  /** line counts from 1; 0 when no line is at fault. */
  readonly line: number;
  readonly cause: string;
}

/** SettingsValues has every setting, by its key in the file; see package settings. */
export interface SettingsValues {
  readonly "ui-theme.preference": ThemeSetting;
  readonly "locale.preference": LocaleSetting;
  readonly "ui-conversation.busyEnter": BusyEnterSetting;
  readonly "ui-sidebar.groupBy": GroupBySetting;
  readonly "permission.defaultPreset": PermissionSetting;
}

/** SkillList is the value of skill.list: skills by name, broken ones by the rank of their place. Neither is null. */
export interface SkillList {
  readonly skills: readonly SkillView[];
  readonly broken: readonly BrokenSkillView[];
}

/** SkillView is a skill that a session's agent can load. */
export interface SkillView {
  readonly name: string;
  /** one line */
  readonly description: string;
}

export interface StatusFrame {
  readonly sessionId: string;
  readonly running: boolean;
}

/** StorageFrame tells that a session's log cannot be stored for now, or, without a trouble, is stored again. */
export interface StorageFrame {
  readonly sessionId: string;
  readonly trouble?: StorageTrouble;
}

/** StorageTrouble is what the host keeps in memory only, until it can be stored. */
export interface StorageTrouble {
  /** NOT_STORED, for people to ask about. */
  readonly code: string;
  readonly message: string;
  /** The first event that is not stored. */
  readonly fromSeq: number;
}

export interface SubscribedFrame {
  readonly sessionId: string;
  readonly lastSeq: number;
}

/** ThemeSetting is how the page looks: as the system says, or always the same. */
export type ThemeSetting = "system" | "light" | "dark";

/** Todo is one entry of the agent's to-do list. */
export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

/** TodoStatus is how far an entry is. */
export type TodoStatus = "pending" | "in_progress" | "completed";

/** ToolView is a tool's presentation. It is computed from the event and never stored. */
export interface ToolView {
  readonly for: ViewFor;
  readonly view: JsonObject;
}

export interface UnsetCredentialPayload {
  readonly ref: string;
}

export interface UpdateQueuePayload {
  readonly sessionId: string;
  readonly itemId: string;
  readonly action: QueueAction;
}

export interface UpdateSettingsPayload {
  /** The revision that the changes were chosen for; without one they are made whatever is there. */
  readonly expectedRevision?: string;
  readonly changes: SettingsChanges;
}

/** Usage counts tokens. InputTokens, CacheReadTokens and CacheWriteTokens do not overlap; nil means the provider did not say. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** ViewFor is what a View shows. */
export type ViewFor = "call" | "result";

/**
 * ViewedEvent is an event as a page gets it: the event of the log, except that failure
 * texts are safe to show, and for tools what to show of them.
 */
export interface ViewedEvent {
  readonly event: SessionEvent;
  readonly view?: ToolView;
}

/** Workspace is a workspace with the sessions that work in it. */
export interface Workspace {
  readonly workspaceId: string;
  readonly path: string;
  readonly title: string;
  /** In the order in which they are shown. */
  readonly sessionIds: readonly string[];
  /** order has the sessions with a fixed place, in that order, see package workspace; all others come before them, newest activity first. */
  readonly order: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Provisional: it is the default folder, and nobody has registered it. A page has no need to show it while it has no session. */
  readonly provisional?: boolean;
}

export interface WorkspaceFrame {
  readonly workspace: Workspace;
}

export interface WorkspaceList {
  /** In the order in which they are shown. */
  readonly items: readonly Workspace[];
  readonly archivedSessionIds: readonly string[];
  /** problem says why Items are not all there are; absent when they are. */
  readonly problem?: ListProblem;
}

/** WorkspaceRef names a workspace. */
export interface WorkspaceRef {
  readonly workspaceId: string;
}

export interface WorkspacesOrderedFrame {
  readonly workspaceIds: readonly string[];
}

/** Method → [payload, value]. */
export interface Methods {
  /** What the host is, and what it can offer. */
  "host.describe": [Record<string, never>, HostDescription];
  /** What became of every row of the composition, and where the host keeps what. */
  "host.report": [Record<string, never>, HostReport];
  /** The folders in a folder of this machine. */
  "host.listDirectory": [DirectoryPayload, DirectoryListing];
  /** Makes a folder in another one. */
  "host.createDirectory": [CreateDirectoryPayload, CreatedDirectory];
  /** Every session, newest first. */
  "session.list": [Record<string, never>, SessionList];
  /** Sessions in which something was said; names are for whoever has the list. */
  "session.search": [SearchPayload, SearchAnswer];
  /** A new session, idle; with an id that exists, that session. */
  "session.create": [CreatePayload, SessionRef];
  /** A page of a session's log, from the end or before an event, in whole turns. */
  "session.history": [HistoryPayload, HistoryPage];
  /** A new session with the log of another one up to the end of a turn. */
  "session.fork": [ForkPayload, SessionRef];
  /** Ends the session and removes its log. */
  "session.delete": [SessionRef, Record<string, never>];
  /** Says something to the model; the answer comes as events. */
  "session.prompt": [PromptPayload, Accepted];
  /** Ends the running turn. */
  "session.cancel": [SessionRef, Record<string, never>];
  /** Changes a message that waits. */
  "session.updateQueue": [UpdateQueuePayload, Record<string, never>];
  /** Names the session; no model's name replaces that one. */
  "session.rename": [RenamePayload, Renamed];
  /** Asks for a summary in the place of older turns: at once, or at the next step of a running turn. */
  "session.compact": [SessionRef, Accepted];
  /** Chooses the model of the next step. */
  "session.selectModel": [SelectPayload, Selection];
  /** Chooses what the session may do without asking. */
  "session.setMode": [ModePayload, ModeValue];
  /** The skills that a session's agent can load. */
  "skill.list": [SessionRef, SkillList];
  /** The folders a person works in. */
  "workspace.list": [Record<string, never>, WorkspaceList];
  /** Registers the folder at path, or makes one called name; exactly one of the two. */
  "workspace.create": [CreateWorkspacePayload, CreatedWorkspace];
  /** Gives a workspace another title, unlike every other one's. */
  "workspace.rename": [RenameWorkspacePayload, Renamed];
  /** Removes a workspace from the list; its folder, its sessions and their logs stay. */
  "workspace.delete": [WorkspaceRef, Record<string, never>];
  /** Puts a workspace in front of another one, or at the end. */
  "workspace.move": [MoveWorkspacePayload, Record<string, never>];
  /** Has a workspace's sessions shown by activity again, after some were moved. */
  "workspace.unarrange": [WorkspaceRef, Record<string, never>];
  /** Puts a session in front of another one of its folder, or at the end. */
  "workspace.moveSession": [MovePayload, Record<string, never>];
  /** Puts a session away, or takes it back. */
  "workspace.archiveSession": [ArchivePayload, Record<string, never>];
  /** Files of a session's folder that a person may mean; an empty session id means a workspace's, or the folder of new sessions. */
  "workspace.files": [FilesPayload, FileList];
  /** What the person prefers, on every host of this home. Loopback alone. */
  "settings.describe": [Record<string, never>, SettingsDescription];
  /** Changes some of it, all or none. Loopback alone. */
  "settings.update": [UpdateSettingsPayload, SettingsDescription];
  /** Which credentials providers need, and where each comes from; never a value. Loopback alone. */
  "credentials.describe": [Record<string, never>, CredentialsDescription];
  /** Stores a credential for the person alone. Loopback alone. */
  "credentials.set": [SetCredentialPayload, CredentialsDescription];
  /** Removes a stored credential. Loopback alone. */
  "credentials.unset": [UnsetCredentialPayload, CredentialsDescription];
}

/** Frames of GET /api/events.mux. */
export type MuxFrame =
  | { readonly method: "session/subscribed"; readonly payload: SubscribedFrame }
  | { readonly method: "session/event"; readonly payload: EventFrame }
  | { readonly method: "session/queue"; readonly payload: QueueFrame }
  | { readonly method: "session/storage"; readonly payload: StorageFrame }
  | { readonly method: "question/requested"; readonly payload: PendingQuestions }
  | { readonly method: "question/resolved"; readonly payload: ResolvedFrame }
  | { readonly method: "approval/requested"; readonly payload: PendingApproval }
  | { readonly method: "approval/resolved"; readonly payload: ApprovalResolvedFrame };

/** Frames of GET /api/events.host. */
export type HostFrame =
  | { readonly method: "host/session-added"; readonly payload: AddedFrame }
  | { readonly method: "host/session-removed"; readonly payload: RemovedFrame }
  | { readonly method: "host/session-status"; readonly payload: StatusFrame }
  | { readonly method: "host/session-changed"; readonly payload: ChangedFrame }
  | { readonly method: "host/workspace-changed"; readonly payload: WorkspaceFrame }
  | { readonly method: "host/workspace-removed"; readonly payload: WorkspaceRef }
  | { readonly method: "host/workspaces-ordered"; readonly payload: WorkspacesOrderedFrame }
  | { readonly method: "host/archived-sessions-changed"; readonly payload: ArchivedFrame }
  | { readonly method: "host/settings-changed"; readonly payload: SettingsFrame }
  | { readonly method: "host/credentials-changed"; readonly payload: CredentialsFrame };

export type StreamName = "mux" | "host";
