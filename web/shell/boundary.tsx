import { Component, type ComponentChildren, type ComponentType } from "preact";
import { Button } from "keylane";
import { t } from "./messages";

interface BoundaryProps {
  readonly plugin: string;
  readonly children: ComponentChildren;
}

/** Replaces a plugin that throws by a notice; the rest of the page lives on. */
export class PluginBoundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    console.error(`[keylane] plugin ${this.props.plugin} failed`, error);
    this.setState({ failed: true });
  }

  override render() {
    return this.state.failed ? <PluginFailure id={this.props.plugin} /> : this.props.children;
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

/** The notice that stands where a plugin should be. */
export function PluginFailure({ id }: { id: string }) {
  return (
    <div class="failure" role="alert" data-plugin-failed={id}>
      <p class="failure-title">{t("pluginFailed", { id })}</p>
      <p>{t("pluginFailedHelp")}</p>
      <Button icon="refresh-cw" onClick={() => location.reload()}>{t("reload")}</Button>
    </div>
  );
}
