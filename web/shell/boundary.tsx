import { Component, type ComponentChildren, type ComponentType } from "preact";
import { batch } from "@preact/signals";
import { Button, disabledPlugins, noteDisabled, notePluginFailure, pluginFailures, reasonOf, type SlotRegistry } from "keylane";
import { t } from "./messages";

interface BoundaryProps {
  readonly plugin: string;
  readonly children: ComponentChildren;
}

/** What the shell does when a plugin is disabled; set once, by the shell. */
let takeAway: (plugin: string) => void = () => undefined;

/** Lets notices take plugins out of these slots. */
export function disableFrom(slots: SlotRegistry): void {
  takeAway = (plugin) =>
    batch(() => {
      noteDisabled(plugin);
      slots.remove(plugin);
    });
}

/** Replaces a part of a plugin that throws, while it renders or in an effect, by a notice; the rest of the page lives on. */
export class PluginBoundary extends Component<BoundaryProps, { reason: string | undefined }> {
  override state = { reason: undefined };

  override componentDidCatch(error: unknown): void {
    notePluginFailure(this.props.plugin, "render", error);
    this.setState({ reason: reasonOf(error) });
  }

  override render() {
    if (disabledPlugins.value.has(this.props.plugin)) return null;
    return this.state.reason === undefined ? this.props.children : <PluginNotice id={this.props.plugin} reason={this.state.reason} />;
  }
}

/** A component inside its plugin's boundary, for whoever shows it without knowing of plugins. */
export function bounded(plugin: string, Part: ComponentType): ComponentType {
  return () => (
    <PluginBoundary plugin={plugin}>
      <Part />
    </PluginBoundary>
  );
}

/** The failures that have no place of their own: of plugins that show nothing yet, and of handlers. */
export function HomelessFailures() {
  const shown = pluginFailures.value.filter((failure) => failure.moment !== "render" && !disabledPlugins.value.has(failure.plugin));
  const last = new Map(shown.map((failure) => [failure.plugin, failure])); // one notice for each plugin
  return (
    <>
      {[...last.values()].map(({ plugin, moment, reason }) => (
        <PluginNotice key={plugin} id={plugin} reason={reason} stays={moment === "event"} />
      ))}
    </>
  );
}

interface NoticeProps {
  readonly id: string;
  readonly reason: string;
  /** The plugin is still there. */
  readonly stays?: boolean;
}

/** The notice that stands where a plugin should be. */
function PluginNotice({ id, reason, stays = false }: NoticeProps) {
  return (
    <div class="failure" role="alert" data-plugin-failed={id}>
      <p class="failure-title">{t(stays ? "pluginStumbled" : "pluginFailed", { id })}</p>
      {reason && <p class="failure-reason"><code>{reason}</code></p>}
      <p>{t(stays ? "pluginStumbledHelp" : "pluginFailedHelp")}</p>
      <div class="failure-actions">
        <Button icon="refresh-cw" onClick={() => location.reload()}>{t("reload")}</Button>
        <Button look="quiet" onClick={() => takeAway(id)}>{t("disablePlugin")}</Button>
      </div>
    </div>
  );
}
