import { check, property, test } from "../../testing/testing";
import { RpcError, type DirectoryListing } from "keylane";
import { Browser, parentOf, type Directories } from "./browser";

/** A machine with these folders, by their paths; whatever is not here cannot be opened. */
function machine(...paths: string[]): Directories & { readonly made: string[]; hold?: Promise<void> } {
  const all = new Set(["/", "/home", ...paths]);
  const made: string[] = [];
  const name = (path: string) => path.slice(path.lastIndexOf("/") + 1) || "/";
  return {
    made,
    async list(path, signal): Promise<DirectoryListing> {
      const at = path || "/home";
      await Promise.resolve();
      if (signal.aborted) throw new RpcError("aborted", "");
      if (!all.has(at)) throw new RpcError("directory-unreadable", `no ${at}`);
      const crumbs = [{ name: "/", path: "/" }];
      for (let end = at.indexOf("/", 1); at !== "/"; end = at.indexOf("/", end + 1)) {
        const part = end < 0 ? at : at.slice(0, end);
        crumbs.push({ name: name(part), path: part });
        if (end < 0) break;
      }
      const entries = [...all].filter((each) => each !== "/" && parentOf(each) === at).map((each) => ({ name: name(each), path: each, hidden: name(each).startsWith(".") }));
      return { path: at, home: "/home", crumbs, entries, truncated: false };
    },
    create(parent, called) {
      const path = `${parent === "/" ? "" : parent}/${called}`;
      if (all.has(path)) return Promise.reject(new RpcError("directory-exists", ""));
      all.add(path);
      made.push(path);
      return Promise.resolve(path);
    },
  };
}

test("going up begins at the folder one came from", async () => {
  const browser = new Browser(machine("/home/a", "/home/b", "/home/b/in"));
  await browser.go("/home");
  browser.move(1);
  await browser.enter();
  check.equal(browser.listing.value?.path, "/home/b", "path");
  await browser.up();
  check.equal(browser.listing.value?.path, "/home", "path");
  check.equal(browser.entries.value[browser.active.value]?.path, "/home/b", "active");
});

test("what cannot be opened leaves the person where they are", async () => {
  const browser = new Browser(machine("/home/a"));
  await browser.go("/home");
  check.equal(await browser.go("/gone"), false, "there");
  check.equal(browser.listing.value?.path, "/home", "path");
  check.equal(browser.problem.value?.what, "notOpened", "problem");
  await browser.enter();
  check.equal(browser.problem.value, undefined, "problem after the next step");
});

test("a first folder that is gone is said above the home", async () => {
  const browser = new Browser(machine());
  await browser.go("/gone");
  check.equal(browser.listing.value?.path, "/home", "path");
  check.equal(browser.problem.value?.name, "/gone", "problem");
  check.equal(browser.loading.value, false, "loading");
});

test("of two ways the later one counts, whichever answers first", async () => {
  const answers: (() => void)[] = [];
  const real = machine("/home/a", "/home/b");
  const browser = new Browser({ ...real, list: async (path, signal) => { await new Promise<void>((resolve) => answers.push(resolve)); return real.list(path, new AbortController().signal).finally(() => signal); } });
  const first = browser.go("/home/a");
  const second = browser.go("/home/b");
  answers[1]?.();
  await second;
  answers[0]?.();
  check.equal(await first, false, "the first");
  check.equal(browser.listing.value?.path, "/home/b", "path");
});

test("hidden folders are shown when asked for, or when one came from one", async () => {
  const browser = new Browser(machine("/home/.x", "/home/a"));
  await browser.go("/home");
  check.equal(browser.entries.value.map((entry) => entry.name), ["a"], "entries");
  await browser.go("/home/.x");
  await browser.up();
  check.equal(browser.entries.value[browser.active.value]?.name, ".x", "active");
});

test("a folder that is made is entered, one that is there is not made", async () => {
  const directories = machine("/home/a");
  const browser = new Browser(directories);
  await browser.go("/home");
  check.equal(await browser.create("a"), false, "made");
  check.equal(browser.problem.value?.error.code, "directory-exists", "problem");
  check.equal(await browser.create("b"), true, "made");
  check.equal(browser.listing.value?.path, "/home/b", "path");
  check.equal(browser.active.value, -1, "nothing is in it");
});

test("the folder that holds a folder", () => {
  for (const [path, parent] of [["/", "/"], ["/a", "/"], ["/a/b", "/a"], ["/a/b/", "/a"], ["C:\\a", "C:\\"], ["C:\\", "C:\\"]] as const) {
    check.equal(parentOf(path), parent, path);
  }
});

property("the active entry is always one that is shown", 100, async (random) => {
  const browser = new Browser(machine("/home/a", "/home/.b", "/home/c", "/home/c/d", "/home/.b/e"));
  await browser.go("");
  for (let step = 0; step < 12; step++) {
    const does = random.integer(0, 3);
    if (does === 0) browser.move(random.integer(-3, 5));
    else if (does === 1) browser.showHidden.value = !browser.showHidden.value;
    else if (does === 2) await browser.enter();
    else await browser.up();
    const shown = browser.entries.value.length;
    check.equal(shown === 0 ? browser.active.value === -1 : browser.active.value >= 0 && browser.active.value < shown, true, "active");
  }
});
