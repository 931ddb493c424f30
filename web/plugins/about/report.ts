// The host's boot report, as it was when the host was last reached.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useClient, type HostReport } from "keylane";

/** Undefined until it has come, "unreachable" when it did not. */
export const report = signal<HostReport | "unreachable" | undefined>(undefined);

/** Asks for the report now and whenever the host has been reached anew: it may be another one. */
export function useReport(): HostReport | undefined {
  const client = useClient();
  useEffect(() => {
    if (!client.description.value) return;
    client.rpc.call("host.report", {}).then(
      (answer) => (report.value = answer),
      () => (report.value = "unreachable"),
    );
  }, [client.description.value]);
  return report.value === "unreachable" ? undefined : report.value;
}
