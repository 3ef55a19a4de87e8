/** What the page shows, as one value, and its form in the address after `#`: there the sentence stays out of logs. */

import { NO_EDITS, SITES, type Edits, type MutedHead, type SiteName } from "../api/types";
import { PLACES, type Place } from "./places";

export const STAGES = ["q", "k", "scores", "scaled", "mask", "weights", "v", "context", "concat", "output"] as const;
export type Stage = (typeof STAGES)[number];

export interface View {
  readonly model: string;
  readonly language: string;
  readonly text: string;
  /** A translation that is given, not searched for. */
  readonly target: string;
  readonly beam: number;
  readonly best: number;
  readonly place: Place;
  readonly layer: number;
  readonly head: number;
  readonly stage: Stage;
  /** The pinned cell, or null. */
  readonly cell: { readonly row: number; readonly column: number } | null;
  /** The position of the target that output and beam show. */
  readonly step: number;
  readonly edits: Edits;
  /** Whether every view shows the edited model. */
  readonly edited: boolean;
  readonly companion: string;
  /** One colour scale along a strip, or each matrix its own. */
  readonly shared: boolean;
  /** Weights α, or α·‖v W^O‖. */
  readonly norms: boolean;
  /** The tour's chapter, or null. */
  readonly chapter: number | null;
  readonly words: "en" | "ko" | "";
  readonly theme: "light" | "dark" | "";
}

export const START: View = {
  model: "", language: "", text: "", target: "", beam: 4, best: 1, place: "decoder.cross", layer: -1, head: 0,
  stage: "weights", cell: null, step: 0, edits: NO_EDITS, edited: false, companion: "", shared: false, norms: false,
  chapter: null, words: "", theme: "",
};

function mutedText(edits: Edits): string {
  return edits.mute.map((one) => `${one.site}.${one.layer}.${one.head}`).join(" ");
}

function muted(text: string): MutedHead[] {
  return text.split(" ").flatMap((one) => {
    const parts = one.split(".");
    const site = SITES.find((name) => name === parts.slice(0, 2).join("."));
    const [layer, head] = [Number(parts[2]), Number(parts[3])];
    return site && whole(layer) && whole(head) ? [{ site, layer, head }] : [];
  });
}

function whole(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

/** The address's part after `#`; what is as at the start is left out. */
export function toHash(view: View): string {
  const fields: [string, string][] = [
    ["m", view.model], ["to", view.language], ["q", view.text], ["y", view.target],
    ["b", view.beam === START.beam ? "" : String(view.beam)], ["n", view.best === START.best ? "" : String(view.best)],
    ["at", view.place === START.place ? "" : view.place], ["l", view.layer < 0 ? "" : String(view.layer)],
    ["h", view.head ? String(view.head) : ""], ["s", view.stage === START.stage ? "" : view.stage],
    ["c", view.cell ? `${view.cell.row}.${view.cell.column}` : ""], ["t", view.step ? String(view.step) : ""],
    ["mute", mutedText(view.edits)], ["noscale", view.edits.no_scale ? "1" : ""],
    ["nopos", view.edits.no_positions ? "1" : ""], ["noahead", view.edits.no_look_ahead ? "1" : ""],
    ["edited", view.edited ? "1" : ""], ["with", view.companion], ["shared", view.shared ? "1" : ""],
    ["norms", view.norms ? "1" : ""], ["tour", view.chapter === null ? "" : String(view.chapter)],
    ["lang", view.words], ["theme", view.theme],
  ];
  return new URLSearchParams(fields.filter(([, value]) => value !== "")).toString();
}

/** The view that an address names; what is missing or senseless is as at the start. */
export function fromHash(hash: string): View {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const text = (key: string): string => fields.get(key) ?? "";
  const number = (key: string, otherwise: number): number =>
    fields.has(key) && whole(Number(text(key))) ? Number(text(key)) : otherwise;
  const one = <T extends string>(key: string, choices: readonly T[], otherwise: T): T =>
    choices.find((choice) => choice === text(key)) ?? otherwise;
  const flag = (key: string): boolean => text(key) === "1";
  const [row, column] = text("c").split(".").map(Number);
  const pinned = fields.has("c") && row !== undefined && column !== undefined && whole(row) && whole(column);
  return {
    model: text("m"), language: text("to"), text: text("q"), target: text("y"),
    beam: Math.min(Math.max(number("b", START.beam), 1), 16), best: Math.min(Math.max(number("n", START.best), 1), 16),
    place: one("at", PLACES, START.place), layer: number("l", START.layer), head: number("h", 0),
    stage: one("s", STAGES, START.stage), cell: pinned ? { row, column } : null, step: number("t", 0),
    edits: { mute: muted(text("mute")), no_scale: flag("noscale"), no_positions: flag("nopos"), no_look_ahead: flag("noahead") },
    edited: flag("edited"), companion: text("with"), shared: flag("shared"), norms: flag("norms"),
    chapter: fields.has("tour") && whole(Number(text("tour"))) ? Number(text("tour")) : null,
    words: one("lang", ["", "en", "ko"] as const, ""), theme: one("theme", ["", "light", "dark"] as const, ""),
  };
}

/** The attention a what-if may mute a head of, toggled. */
export function toggled(edits: Edits, site: SiteName, layer: number, head: number): Edits {
  const same = (one: MutedHead): boolean => one.site === site && one.layer === layer && one.head === head;
  const mute = edits.mute.some(same) ? edits.mute.filter((one) => !same(one)) : [...edits.mute, { site, layer, head }];
  return { ...edits, mute };
}

export function anyEdit(edits: Edits): boolean {
  return edits.mute.length > 0 || edits.no_scale || edits.no_positions || edits.no_look_ahead;
}
