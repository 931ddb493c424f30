// Text in the person's language. Every room keeps its own table in messages.ts
// and gets a typed lookup from defineMessages; what a model or a person wrote
// is never translated.

import { computed, signal, type ReadonlySignal } from "@preact/signals";

export type Locale = "en" | "zh";

/** English says which messages exist; every other language has the same ones. */
export type Messages = Readonly<Record<string, string>>;

const chosen = signal<Locale | "">("");
const languages = signal(navigator.languages);
addEventListener("languagechange", () => (languages.value = navigator.languages));

/** What the page speaks: what was chosen, else as the browser says. Whatever shows text follows at once. */
export const locale: ReadonlySignal<Locale> = computed(() => chosen.value || preferred(languages.value));

/** Chooses what the page speaks; "" is as the browser says. */
export function speak(language: Locale | ""): void {
  chosen.value = language;
}

/** The first language of the browser that the page speaks, else English. */
export function preferred(languages: readonly string[]): Locale {
  for (const language of languages) {
    const primary = language.toLowerCase().split("-")[0];
    if (primary === "zh" || primary === "en") return primary;
  }
  return "en";
}

/**
 * Returns t(key, parameters): the message in the current language with each
 * `{name}` replaced. A message may say `{n|one|other}`: the form for n in the
 * language's own plural rules.
 */
export function defineMessages<M extends Messages>(tables: { readonly en: M; readonly zh: { readonly [K in keyof M]: string } }) {
  return function t(key: keyof M & string, parameters: Readonly<Record<string, string | number>> = {}): string {
    const template: string = tables[locale.value][key];
    return template.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, other?: string) => {
      const value = parameters[name] ?? "";
      if (one === undefined || other === undefined) return String(value);
      return new Intl.PluralRules(locale.value).select(Number(value)) === "one" ? one : other;
    });
  };
}
