// The section "About and diagnostics" of the settings.

import { CopyButton, disabledPlugins, pageRev, pluginFailures, type HostReport } from "keylane";
import { t } from "./messages";
import { report, useReport } from "./report";
import { asText } from "./text";

export function About() {
  const known = useReport();
  const failures = pluginFailures.value;
  if (report.value === undefined) return <p class="about-quiet" role="status">{t("loading")}</p>;
  return (
    <div class="about">
      <div class="about-head">
        <h3>{t("versions")}</h3>
        <CopyButton
          label={t("copy")}
          copied={t("copied")}
          failed={t("copyFailed")}
          text={() => asText(known, pageRev.value, failures, disabledPlugins.value, navigator.userAgent)}
        />
      </div>
      {!known && <p role="alert">{t("unreachable")}</p>}
      <dl class="about-facts">
        {known && <Fact name={t("version")} value={known.version} />}
        <Fact name={t("page")} value={pageRev.value.slice(0, 12)} />
        {known && <Fact name={t("built")} value={`${known.goVersion}, ${known.platform}`} />}
      </dl>
      {failures.length > 0 && (
        <>
          <h3 id="about-parts">{t("parts")}</h3>
          <ul class="about-failures" aria-labelledby="about-parts">
            {failures.map(({ plugin, moment, reason }) => (
              <li key={`${plugin} ${moment} ${reason}`}>
                <strong>{plugin}</strong> <code>{reason}</code> {disabledPlugins.value.has(plugin) && <span class="about-quiet">{t("off")}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
      {known && <Broken report={known} />}
      {known && (
        <>
          <h3>{t("places")}</h3>
          <dl class="about-facts">
            <Fact name={t("home")} value={known.home} />
            <Fact name={t("config")} value={known.config} />
            <dt>{t("log")}</dt>
            <dd>{t("logPlace")}</dd>
          </dl>
          <h3 id="about-composition">{t("composition")}</h3>
          <p class="about-quiet">{t("summary", counts(known))}</p>
          <Rows report={known} />
        </>
      )}
    </div>
  );
}

/** What should run and does not, before everything else about the host: it is why most people come here. */
function Broken({ report: known }: { report: HostReport }) {
  const rows = known.rows.filter((row) => row.state === "failed" || row.state === "pending");
  if (rows.length === 0) return null;
  return (
    <>
      <h3 id="about-broken">{t("broken")}</h3>
      <ul class="about-failures" aria-labelledby="about-broken">
        {rows.map((row) => (
          <li key={row.id}>
            <strong>{row.id}</strong> <code>{row.reason}</code> <code class="about-quiet">{row.place}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd><code>{value}</code></dd>
    </>
  );
}

function counts(known: HostReport): Record<"started" | "failed" | "pending" | "disabled", number> {
  const counted = { started: 0, failed: 0, pending: 0, disabled: 0 };
  for (const row of known.rows) counted[row.state]++;
  return counted;
}

function Rows({ report: known }: { report: HostReport }) {
  return (
    <table class="about-rows" aria-labelledby="about-composition">
      <thead>
        <tr><th scope="col">{t("row")}</th><th scope="col">{t("state")}</th><th scope="col">{t("layer")}</th></tr>
      </thead>
      <tbody>
        {known.rows.map((row) => (
          <tr key={row.id} data-state={row.state}>
            <th scope="row">{row.id}</th>
            <td>
              <span class="about-state" data-state={row.state}>{t(row.state)}</span>
              {row.reason && row.state !== "disabled" && <p class="about-reason"><code>{row.reason}</code></p>}
            </td>
            <td><code>{row.layer}</code></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
