import type { Ref } from "preact";
import { Icon, useClient, type ModelTarget } from "keylane";
import { t } from "./messages";

/** The model in use and the others to be had; providers that aren't ready can be seen but not chosen. */
export function ModelChoice({ selectRef, onSelect }: { selectRef: Ref<HTMLSelectElement>; onSelect: (target: ModelTarget) => void }) {
  const client = useClient();
  const target = client.target.value;
  const providers = client.providers.value.filter((provider) => (provider.models?.length ?? 0) > 0);
  if (providers.length === 0 || (client.open.value && !target)) return <span class="composer-model" />;
  const key = (item: ModelTarget) => JSON.stringify([item.provider, item.model]);
  const known = target && providers.some((provider) => provider.id === target.provider && provider.models?.some((model) => model.id === target.model));
  return (
    <span class="composer-model"><select
      ref={selectRef}
      aria-label={t("model")}
      value={target ? key(target) : ""}
      onChange={(event) => {
        const [provider, model] = JSON.parse(event.currentTarget.value) as [string, string];
        onSelect({ provider, model });
      }}
    >
      {!known && <option value={target ? key(target) : ""}>{target?.model ?? ""}</option>}
      {providers.map((provider) => (
        <optgroup key={provider.id} label={provider.name} disabled={!provider.ready}>
          {provider.models?.map((model) => (
            <option key={model.id} value={key({ provider: provider.id, model: model.id })}>{model.name || model.id}</option>
          ))}
        </optgroup>
      ))}
    </select><Icon name="chevron-down" /></span>
  );
}
