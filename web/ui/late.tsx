import type { ComponentType } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { part } from "../model/parts";
import { t } from "./messages";

/** A component whose code is fetched when it is shown for the first time. Until it is here, nothing is in its place. */
export function late<P extends object>(name: string, load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const code = part(name, load);
  return function Late(props: P) {
    useLayoutEffect(() => code.need(), []);
    const Loaded = code.value.value;
    if (code.failed.value) return <p class="late-failed" role="alert">{t("partFailed")}</p>;
    return Loaded ? <Loaded {...props} /> : null;
  };
}
