// The shell: mounts without any plugin, then lets the plugins fill its slots.

import "../ui/tokens.css";
import "../ui/fonts.css";
import "../ui/base.css";
import "../ui/components.css";
import "../ui/card.css";
import "./shell.css";
import { render } from "preact";
import { computed, effect } from "@preact/signals";
import { Client, ClientContext, SlotRegistry, language, locale, speak, theme, watchUncaught } from "keylane";
import { Boot } from "./boot";
import { startFonts } from "./fonts";
import { disableFrom } from "./boundary";
import { Layout } from "./layout";
import { startRootState } from "./rootstate";
import { startRouter } from "./router";

const client = new Client();
const boot = new Boot(new SlotRegistry());
const mount = document.getElementById("root");
if (!mount) throw new Error("index.html has no #root");

effect(() => speak(language.value.value));
effect(() => {
  document.documentElement.lang = locale.value;
});
effect(() => {
  document.documentElement.dataset.theme = theme.value.value;
});
let connections = 0;
effect(() => {
  if (client.connection.state.value === "connected" && connections++ > 0) void boot.look();
});
startFonts(locale, computed(() => boot.state.value !== "loading"));
watchUncaught(window);
disableFrom(boot.slots);
startRouter(client);
startRootState(client, boot, document.documentElement);
mount.replaceChildren();
render(
  <ClientContext.Provider value={client}>
    <Layout boot={boot} />
  </ClientContext.Provider>,
  mount,
);
void boot.run();

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && client.lookAgain());

// Leaving the page is not a lost connection; coming back from the browser's
// cache is a new start.
addEventListener("pagehide", () => client.connection.close());
addEventListener("pageshow", (event) => event.persisted && location.reload());
