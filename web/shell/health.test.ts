// What failed is told by the plugin it comes from, with all of its causes, once.

import { disabledPlugins, noteDisabled, notePluginFailure, pluginFailures, pluginOf, reasonOf, watchUncaught } from "./health";
import { check, test } from "../testing/testing";

test("a reason holds the chain of causes, also of what is no error", () => {
  check.equal(reasonOf(new Error("a", { cause: new Error("b", { cause: "c" }) })), "a: b: c", "of a chain");
  check.equal(reasonOf("text"), "text", "of a text");
  check.equal(reasonOf(undefined), "", "of nothing");
  check.equal(reasonOf(new TypeError()), "TypeError", "of an error without words");
  const ring = new Error("ring");
  ring.cause = ring;
  check.equal(reasonOf(ring).split(": ").length, 8, "of a ring, which ends");
});

test("a stack belongs to the innermost plugin in it", () => {
  const stack = "Error: x\n    at a (http://127.0.0.1:1/shared/keylane.js:1:2)\n    at b (http://127.0.0.1:1/plugins/one-two/client.js?rev=1:3:4)\n    at c (http://127.0.0.1:1/plugins/three/client.js?rev=1:5:6)";
  check.equal(pluginOf(stack), "one-two", "the innermost");
  check.equal(pluginOf("Error: x\n    at http://127.0.0.1:1/assets/shell.js:1:2") ?? "nobody", "nobody", "none");
});

test("the same failure is told once, another one beside it", () => {
  const before = pluginFailures.value.length;
  const thrown = new Error("same");
  notePluginFailure("p", "event", thrown);
  notePluginFailure("p", "event", new Error("same"));
  notePluginFailure("p", "event", new Error("other"));
  notePluginFailure("q", "event", thrown);
  check.equal(pluginFailures.value.slice(before).map((each) => `${each.plugin} ${each.reason}`), ["p same", "p other", "q same"], "told");
});

test("what nobody catches belongs to the plugin whose code it comes from, and to none when it is the shell's", () => {
  const target = new EventTarget() as Window;
  watchUncaught(target);
  const before = pluginFailures.value.length;
  target.dispatchEvent(new ErrorEvent("error", { message: "from a file", filename: "http://127.0.0.1:1/plugins/filed/client.js?rev=1" }));
  target.dispatchEvent(new ErrorEvent("error", { message: "from the shell", filename: "http://127.0.0.1:1/assets/shell.js" }));
  check.equal(pluginFailures.value.slice(before).map((each) => `${each.plugin} ${each.moment} ${each.reason}`), ["filed event from a file"], "told");
});

test("a plugin that is disabled is one of those that are", () => {
  noteDisabled("gone");
  check.equal(["gone", "here"].map((each) => disabledPlugins.value.has(each)), [true, false], "disabled");
});
