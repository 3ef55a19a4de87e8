/** The one place where the page's state lives. Components read it and call its methods; data flows one way. */

import type { Cell } from "../paint/matrix";
import type { Theme } from "../paint/colours";
import { fromHash, START, toHash, type View } from "./view";

export interface Lit {
  readonly source: readonly number[];
  readonly target: readonly number[];
}

const NOTHING_LIT: Lit = { source: [], target: [] };

export class Page {
  /** What is shown; changed by `go` alone. */
  view: View = $state.raw(START);
  /** The text in the source pane, which may not have been translated yet. */
  draft = $state("");
  /** Tokens under the pointer, lit in every view. */
  lit: Lit = $state.raw(NOTHING_LIT);
  /** What a screen reader says next. */
  announcement = $state("");
  help = $state(false);
  table = $state(false);
  playing = $state(false);
  darkSystem = $state(false);

  readonly theme: Theme = $derived(this.view.theme || (this.darkSystem ? "dark" : "light"));
  readonly words: "en" | "ko" = $derived(this.view.words || (navigator.language.startsWith("ko") ? "ko" : "en"));

  constructor() {
    this.view = fromHash(location.hash);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    this.darkSystem = dark.matches;
    dark.addEventListener("change", () => (this.darkSystem = dark.matches));
  }

  /** Shows another view and writes it into the address; the Back button leads to the part and the text before. */
  go(change: Partial<View>): void {
    const opened = change.place !== undefined && change.place !== this.view.place;
    const another = change.text !== undefined && change.text !== this.view.text && this.view.text !== "";
    this.view = { ...this.view, ...change };
    const address = `#${toHash(this.view)}`;
    try {
      if (opened || another) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch {
      // A page inside a notebook's cell has no address of its own.
    }
  }

  /** The address was changed from outside. Returns what has to be done again: another text, or other edits. */
  follow(): "translate" | "compare" | null {
    const before = this.view;
    this.view = fromHash(location.hash);
    const same = (["model", "language", "text", "target", "beam"] as const).every((key) => before[key] === this.view[key]);
    if (!same) return "translate";
    return JSON.stringify(before.edits) === JSON.stringify(this.view.edits) ? null : "compare";
  }

  pin(cell: Cell | null): void {
    this.go({ cell });
  }

  /** Lights tokens; a cell on the diagonal of a self-attention names one twice. */
  light(lit: Lit | null): void {
    this.lit = lit ? { source: [...new Set(lit.source)], target: [...new Set(lit.target)] } : NOTHING_LIT;
  }

  say(text: string): void {
    this.announcement = text;
  }
}

export const page = new Page();
