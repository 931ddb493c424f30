// Looking through the folders of the machine: where the person is, what is in
// there, and what could not be opened. A state machine without a DOM.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { RpcError, type DirectoryListing } from "keylane";

export type Entry = DirectoryListing["entries"][number];

/** What a browser asks the host; both reject with an RpcError. */
export interface Directories {
  /** An empty path is the person's home. */
  list(path: string, signal: AbortSignal): Promise<DirectoryListing>;
  create(parent: string, name: string): Promise<string>;
}

/** Something that was asked for and did not happen; the person is where they were before. */
export interface Problem {
  readonly what: "notOpened" | "notCreated" | "notTaken";
  readonly name: string;
  readonly error: RpcError;
}

export class Browser {
  /** Where the person is; undefined until the first answer. */
  readonly listing = signal<DirectoryListing | undefined>(undefined);
  readonly problem = signal<Problem | undefined>(undefined);
  readonly loading = signal(false);
  readonly showHidden = signal(false);
  readonly #active = signal<string | undefined>(undefined);
  #running: AbortController | undefined;

  /** The folders that are shown. */
  readonly entries: ReadonlySignal<readonly Entry[]> = computed(() => (this.listing.value?.entries ?? []).filter((entry) => !entry.hidden || this.showHidden.value));
  /** Place of the entry that keys act on, -1 when there is none. */
  readonly active: ReadonlySignal<number> = computed(() => {
    const at = this.entries.value.findIndex((entry) => entry.path === this.#active.value);
    return at < 0 ? Math.min(0, this.entries.value.length - 1) : at;
  });

  constructor(readonly directories: Directories) {}

  /**
   * Goes to a folder and resolves to whether the person is there now; a newer call gives up the older. Where it fails, everything stays as it
   * is; when there is nothing yet to stay at, the home is shown below what went wrong. `active` is the path of the entry to begin at.
   */
  async go(path: string, active?: string): Promise<boolean> {
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    batch(() => {
      this.loading.value = true;
      this.problem.value = undefined; // whoever tries again and fails again is told again
    });
    try {
      const listing = await this.directories.list(path, running.signal);
      if (this.#running !== running) return false;
      batch(() => {
        this.listing.value = listing;
        this.#active.value = active;
        if (listing.entries.some((entry) => entry.hidden && entry.path === active)) this.showHidden.value = true;
      });
      return true;
    } catch (error) {
      if (this.#running !== running) return false;
      const problem: Problem = { what: "notOpened", name: path, error: asRpcError(error) };
      this.problem.value = problem;
      if (this.listing.value === undefined && path !== "" && problem.error.code === "directory-unreadable") {
        await this.go("");
        this.problem.value ??= problem;
      }
      return false;
    } finally {
      if (this.#running === running) this.loading.value = false;
    }
  }

  /** Goes into the active folder. */
  async enter(): Promise<boolean> {
    const entry = this.entries.value[this.active.value];
    return entry !== undefined && this.go(entry.path);
  }

  /** Goes to the folder that holds this one, and begins there at this one. */
  async up(): Promise<boolean> {
    const crumbs = this.listing.value?.crumbs ?? [];
    const parent = crumbs.at(-2);
    return parent !== undefined && this.go(parent.path, crumbs.at(-1)?.path);
  }

  /** Moves to an entry; places beyond the ends are the ends. */
  move(to: number): void {
    const entries = this.entries.value;
    this.#active.value = entries[Math.max(0, Math.min(to, entries.length - 1))]?.path;
  }

  /** Makes a folder in this one and goes there. Resolves to whether it was made. */
  async create(name: string): Promise<boolean> {
    const parent = this.listing.value?.path;
    if (parent === undefined) return false;
    this.problem.value = undefined;
    let made: string;
    try {
      made = await this.directories.create(parent, name);
    } catch (error) {
      this.problem.value = { what: "notCreated", name, error: asRpcError(error) };
      return false;
    }
    // Made is made, also when it cannot be looked into at once: going there says that by itself.
    await this.go(made);
    return true;
  }

  /** Gives up what is on its way. */
  end(): void {
    this.#running?.abort();
    this.#running = undefined;
  }
}

export function asRpcError(error: unknown): RpcError {
  return error instanceof RpcError ? error : new RpcError("internal", String(error));
}

/** The folder that holds a folder, by its path alone; a root holds itself. */
export function parentOf(path: string): string {
  const parent = path.replace(/[\\/]+[^\\/]*[\\/]*$/, "");
  return parent === "" || /^[A-Za-z]:$/.test(parent) ? path.slice(0, parent.length + 1) : parent;
}

/** A folder's name. */
export function nameOf(listing: DirectoryListing): string {
  return listing.crumbs.at(-1)?.name ?? listing.path;
}
