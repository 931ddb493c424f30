import { signal } from "@preact/signals";
import { check, property, test } from "../testing/testing";
import { RpcError, type Rpc } from "../wire/rpc";
import type { SettingsDescription, SettingsValues } from "../wire/types";
import { Settings } from "./settings";

const defaults: SettingsValues = {
  "ui-theme.preference": "system",
  "locale.preference": "",
  "ui-conversation.busyEnter": "queue",
  "ui-sidebar.groupBy": "workspace",
  "permission.defaultPreset": "",
};

/** A host's file of settings that others change too: `before` runs ahead of each call that arrives. */
class Host {
  revision = 0;
  values: SettingsValues = defaults;
  updates = 0;
  before: (method: string) => void = () => {};

  write(changes: Partial<SettingsValues>): void {
    this.values = { ...this.values, ...changes };
    this.revision++;
  }

  readonly rpc: Rpc = {
    inFlight: signal(0),
    respond: () => Promise.resolve(),
    call: (async (method: string, payload: { expectedRevision?: string; changes?: Partial<SettingsValues> }) => {
      await Promise.resolve();
      this.before(method);
      if (method === "settings.update") {
        this.updates++;
        if (payload.expectedRevision !== undefined && payload.expectedRevision !== String(this.revision)) throw new RpcError("settings-conflict", "");
        this.write(payload.changes ?? {});
      }
      const description: SettingsDescription = { revision: String(this.revision), values: this.values, file: "/settings.yml", hostMode: "ask" };
      return description;
    }) as never,
  };
}

async function connected(host: Host, begun: Partial<SettingsValues> = {}, local = true, storage?: Storage): Promise<Settings> {
  const settings = new Settings(begun, local, storage);
  settings.connect(host.rpc);
  await settings.refresh();
  return settings;
}

test("a page begins with what it was served with", () => {
  const settings = new Settings({ "ui-theme.preference": "dark" }, true);
  check.equal(settings.values.value, { ...defaults, "ui-theme.preference": "dark" }, "before any call");
});

test("a choice holds at once, and the host has it in the end", async () => {
  const host = new Host();
  const settings = await connected(host);
  const done = settings.set("ui-theme.preference", "dark");
  check.equal(settings.values.value["ui-theme.preference"], "dark", "at once");
  await done;
  check.equal([host.values["ui-theme.preference"], settings.values.value["ui-theme.preference"], settings.failure.value], ["dark", "dark", undefined], "in the end");
});

test("a change of another setting in between is no conflict for the person", async () => {
  const host = new Host();
  const settings = await connected(host);
  host.write({ "locale.preference": "zh" });
  await settings.set("ui-theme.preference", "dark");
  check.equal([host.values["ui-theme.preference"], host.values["locale.preference"], settings.failure.value, host.updates], ["dark", "zh", undefined, 2], "both hold");
});

test("who changed the same setting meanwhile wins, and the person is told", async () => {
  const host = new Host();
  const settings = await connected(host);
  host.write({ "ui-theme.preference": "light" });
  await settings.set("ui-theme.preference", "dark");
  check.equal([host.values["ui-theme.preference"], settings.values.value["ui-theme.preference"], settings.failure.value?.code], ["light", "light", "settings-conflict"], "theirs");
});

test("a file that is always changed first is given up, and told", async () => {
  const host = new Host();
  const settings = await connected(host);
  host.before = (method) => method === "settings.update" && host.write({ "locale.preference": host.values["locale.preference"] === "zh" ? "en" : "zh" });
  await settings.set("ui-theme.preference", "dark");
  check.equal([settings.values.value["ui-theme.preference"], settings.failure.value?.code], ["system", "settings-conflict"], "told");
});

test("a refusal takes the choice back", async () => {
  const host = new Host();
  const settings = await connected(host);
  host.before = () => {
    throw new RpcError("settings-rejected", "line 3");
  };
  await settings.set("ui-theme.preference", "dark");
  check.equal([settings.values.value["ui-theme.preference"], settings.failure.value?.code], ["system", "settings-rejected"], "taken back");
});

test("where the host keeps its settings to itself a choice holds for the page, and no call is made", async () => {
  const host = new Host();
  const settings = await connected(host, { "ui-theme.preference": "dark" }, false);
  host.before = (method) => {
    throw new Error(`${method} was called`);
  };
  await settings.set("ui-conversation.busyEnter", "steer");
  settings.changed("7");
  check.equal([settings.values.value["ui-conversation.busyEnter"], settings.values.value["ui-theme.preference"], host.updates], ["steer", "dark", 0], "for the page");
});

property("whatever is chosen and whoever changes the rest, the page and the host agree in the end", 100, async (random) => {
  const host = new Host();
  const settings = await connected(host);
  const chosen: Promise<void>[] = [];
  const choices = { "ui-theme.preference": ["system", "light", "dark"], "ui-conversation.busyEnter": ["queue", "steer"] } as const;
  let last: Partial<SettingsValues> = {};
  const others = Array.from({ length: 40 }, () => random.integer(0, 3) === 0);
  host.before = () => others.pop() && host.write({ "locale.preference": host.values["locale.preference"] === "zh" ? "en" : "zh" });
  for (let i = random.integer(1, 6); i > 0; i--) {
    const key = random.pick(Object.keys(choices)) as keyof typeof choices;
    const value = random.pick([...choices[key]]);
    last = { ...last, [key]: value };
    chosen.push(settings.set(key, value));
  }
  await Promise.all(chosen);
  if (settings.failure.value) return; // the others were quicker eight times: told, and nothing is to be compared
  await settings.refresh();
  check.equal(host.values, { ...host.values, ...last }, "the host has the last choices");
  check.equal(settings.values.value, host.values, "the page shows what the host has");
});
