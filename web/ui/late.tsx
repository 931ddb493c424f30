import type { ComponentType } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { part } from "../model/parts";
import { t } from "./messages";

/**
 * A component whose code is fetched when it is shown for the first time. Until it is here, nothing is in its place. With `soon` it is
 * fetched as soon as the page has nothing else to do: for what must come also when the host is another one by then.
 */
export function late<P extends object>(name: string, load: () => Promise<ComponentType<P>>, when: "needed" | "soon" = "needed"): ComponentType<P> {
  const code = part(name, load);
  if (when === "soon") requestIdleCallback(() => code.prefetch(), { timeout: 2_000 });
  return function Late(props: P) {
    useLayoutEffect(() => code.need(), []);
    const Loaded = code.value.value;
    if (code.failed.value) return <p class="late-failed" role="alert">{t("partFailed")}</p>;
    return Loaded ? <Loaded {...props} /> : null;
  };
}
