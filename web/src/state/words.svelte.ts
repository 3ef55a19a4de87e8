/** The interface's words in English and Korean. */

import en from "../i18n/en.json";
import ko from "../i18n/ko.json";
import { page } from "./page.svelte";

export type Key = keyof typeof en;

const WORDS: Readonly<Record<"en" | "ko", Readonly<Record<Key, string>>>> = { en, ko };

/** The words for a key, `{name}` replaced by the value of that name. */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  return WORDS[page.words][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A language by its name in the interface's own language. */
export function language(code: string | null): string {
  if (!code) return t("language.none");
  try {
    return new Intl.DisplayNames([page.words], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}
