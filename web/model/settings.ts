// The settings that the host keeps in one file for every page, browser and host
// on the same home. The page has them from its first moment, because the host
// has written them on the root element; from then on the call settings.describe
// and the frame host/settings-changed keep them true.
//
// A change holds here at once. It is sent with the revision that it was made
// for; when the file has another one by then, it is made again for that, unless
// somebody else has changed the very same setting: then theirs holds, and the
// person is told.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { RpcError, type Rpc } from "../wire/rpc";
import type { SettingsDescription, SettingsValues } from "../wire/types";

const defaults: SettingsValues = {
  "ui-theme.preference": "system",
  "locale.preference": "",
  "ui-conversation.busyEnter": "queue",
  "ui-sidebar.groupBy": "workspace",
  "permission.defaultPreset": "",
};

/** What was kept in the browser before the host kept it, by its name there. */
const moved = [
  { old: "keylane.busyEnter", key: "ui-conversation.busyEnter", values: ["queue", "steer"] },
  { old: "keylane.groupBy", key: "ui-sidebar.groupBy", values: ["workspace", "none"] },
] as const;

/** How often a change is made again when others are always quicker. */
const attempts = 8;

/** Why a change got nowhere. `changed`: somebody else has changed the same setting meanwhile. */
export interface SettingsFailure {
  readonly code: string;
  readonly message: string;
}

type Storage = Pick<globalThis.Storage, "getItem" | "removeItem">;

export class Settings {
  readonly #description = signal<SettingsDescription | undefined>(undefined);
  /** What was chosen here and is not on the host yet. */
  readonly #wishes = signal<Partial<SettingsValues>>({});
  readonly #begun: Partial<SettingsValues>;
  #storage: Storage | undefined;
  #rpc: Rpc | undefined;
  /** One change after the other, so that none has to wait for itself. */
  #queue: Promise<void> = Promise.resolve();
  #fetches = 0;

  /** What the host has said last; undefined before, and where the host keeps its settings to itself. */
  readonly description: ReadonlySignal<SettingsDescription | undefined> = this.#description;
  /** What holds. */
  readonly values: ReadonlySignal<SettingsValues> = computed(() => ({ ...defaults, ...(this.#description.value?.values ?? this.#begun), ...this.#wishes.value }));
  /** Why the last change got nowhere; whoever shows it may take it away. */
  readonly failure = signal<SettingsFailure | undefined>(undefined);

  /**
   * `begun` is what the page was served with. `local` is whether the host tells this page its settings, which it does for a loopback
   * address alone; elsewhere a change holds until the page is left. `storage` has what an earlier keylane kept in the browser.
   */
  constructor(begun: Partial<SettingsValues>, readonly local: boolean, storage?: Storage) {
    this.#begun = begun;
    this.#storage = storage;
  }

  /** Gives it the host. Once. */
  connect(rpc: Rpc): void {
    this.#rpc = rpc;
  }

  /** Asks the host what holds. Of answers that overtake each other the last call's counts. */
  async refresh(): Promise<void> {
    if (!this.#rpc || !this.local) return;
    const fetch = ++this.#fetches;
    try {
      const description = await this.#rpc.call("settings.describe", {});
      if (fetch !== this.#fetches) return;
      this.#description.value = description;
      this.#migrate();
    } catch {
      // The connection tells of a host that does not answer, and what was known holds.
    }
  }

  /** The host's file has this revision now. */
  changed(revision: string): void {
    if (this.#description.value?.revision !== revision) void this.refresh();
  }

  /** Changes a setting; resolves when the host has it, or `failure` says why not. */
  set<K extends keyof SettingsValues>(key: K, value: SettingsValues[K]): Promise<void> {
    this.#wishes.value = { ...this.#wishes.value, [key]: value };
    this.failure.value = undefined;
    if (!this.local) return Promise.resolve();
    return (this.#queue = this.#queue.then(async () => {
      try {
        await this.#send(key, value);
      } catch (error) {
        this.failure.value = error instanceof RpcError ? { code: error.code, message: error.message } : { code: "internal", message: String(error) };
      }
      // A later choice of the same setting stays.
      if (this.#wishes.value[key] !== value) return;
      const { [key]: _, ...rest } = this.#wishes.value;
      this.#wishes.value = rest as Partial<SettingsValues>;
    }));
  }

  async #send<K extends keyof SettingsValues>(key: K, value: SettingsValues[K]): Promise<void> {
    const rpc = this.#rpc;
    if (!rpc) return;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const known = this.#description.value;
      try {
        const answer = await rpc.call("settings.update", { ...(known && { expectedRevision: known.revision }), changes: { [key]: value } });
        this.#fetches++; // an answer that is on its way is older
        this.#description.value = answer;
        return;
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== "settings-conflict") throw error;
        const fresh = await rpc.call("settings.describe", {});
        this.#fetches++;
        this.#description.value = fresh;
        if (fresh.values[key] === value) return;
        if (known && fresh.values[key] !== known.values[key]) throw new RpcError("settings-conflict", "");
      }
    }
    throw new RpcError("settings-conflict", "");
  }

  /** Takes over, once, what an earlier keylane kept in this browser. It is gone from there when the host has it. */
  #migrate(): void {
    const storage = this.#storage;
    this.#storage = undefined;
    for (const { old, key, values } of moved) {
      try {
        const value = values.find((known) => known === storage?.getItem(old));
        if (value === undefined || value === defaults[key] || this.values.value[key] !== defaults[key]) storage?.removeItem(old);
        else void this.set(key, value).then(() => this.failure.value ?? storage?.removeItem(old));
      } catch {
        return; // storage is forbidden here: nothing was kept
      }
    }
  }
}

/** What the host wrote on the root element. */
function served(): Partial<SettingsValues> {
  const text = document.documentElement.dataset.settings;
  return text ? JSON.parse(text) : {};
}

/** Whether an address is this machine's own, whatever else the host answers to. */
function loopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function storageOf(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined; // storage is forbidden here
  }
}

/** The page's one. */
export const settings = new Settings(served(), loopback(location.hostname), storageOf());
