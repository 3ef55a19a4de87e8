/** The paper's Figure 1 for a given model: which boxes there are, where they stand, and what joins them. */

import type { ModelInfo } from "../api/types";
import { has, type Place } from "./places";
import type { Key } from "./words.svelte";

export interface Box {
  readonly place: Place;
  readonly key: Key;
  /** Sizes, in the paper's letters and this model's numbers. */
  readonly note: string;
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly tone: "tokens" | "embedding" | "attention" | "norm" | "ffn" | "output" | "search";
}

/** A stack's frame: the N layers. */
export interface Frame {
  readonly side: "encoder" | "decoder";
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  readonly layers: number;
}

export interface Figure {
  readonly boxes: readonly Box[];
  readonly frames: readonly Frame[];
  /** SVG paths of the arrows. */
  readonly arrows: readonly string[];
  readonly residuals: readonly string[];
  readonly width: number;
  readonly height: number;
}

export const BOX_WIDTH = 158;
const WIDTH = 420;
const COLUMN = { encoder: 44, decoder: 226 } as const;
const GAP = 14;

type Part = Omit<Box, "x" | "y" | "height"> & { readonly low?: boolean };

const TRANSFORMER: Record<"encoder" | "decoder", readonly Place[]> = {
  encoder: ["source.tokens", "encoder.embedding", "encoder.self", "encoder.self.norm", "encoder.ffn", "encoder.ffn.norm"],
  decoder: [
    "target.tokens", "decoder.embedding", "decoder.self", "decoder.self.norm", "decoder.cross", "decoder.cross.norm",
    "decoder.ffn", "decoder.ffn.norm", "output", "beam",
  ],
};

function part(model: ModelInfo, place: Place): Part {
  const [d, h] = [model.d_model ?? 0, model.heads ?? 1];
  const heads = model.kind === "transformer" ? `${h} × ${d / h}` : "";
  const key: Key = place.endsWith(".norm") ? (model.norm === "pre" ? "part.prenorm" : "part.norm") : `part.${place as PlainPlace}`;
  if (place.endsWith(".norm")) return { place, key, note: "", tone: "norm" };
  if (place.endsWith("tokens")) return { place, key, note: "", tone: "tokens" };
  if (place.endsWith("embedding")) return { place, key, note: `d_model = ${d}`, tone: "embedding" };
  if (place.endsWith("ffn")) return { place, key, note: `${d} → ${model.d_ff ?? ""} → ${d}`, tone: "ffn" };
  if (place === "output") return { place, key, note: `|V| = ${model.vocabulary.target}`, tone: "output" };
  if (place === "beam") return { place, key, note: "", tone: "search" };
  return { place, key, note: heads, tone: "attention" };
}

type PlainPlace = Exclude<Place, `${string}.norm` | "heads" | "whatif" | "padding">;

function tall(piece: Part): number {
  return piece.note ? 42 : 27;
}

/** In a pre-norm layer the normalisation stands before its sub-layer. */
function ordered(model: ModelInfo, places: readonly Place[]): readonly Place[] {
  if (model.norm !== "pre") return places;
  const normed = places.filter((place) => place.endsWith(".norm"));
  return places.flatMap((place) => {
    if (place.endsWith(".norm")) return [];
    const norm = normed.find((one) => one === `${place}.norm`);
    return norm ? [norm, place] : [place];
  });
}

function column(model: ModelInfo, side: "encoder" | "decoder", height: number): Box[] {
  let y = height - 6;
  return ordered(model, TRANSFORMER[side]).filter((place) => has(model, place)).map((place) => {
    const piece = part(model, place);
    const size = tall(piece);
    y -= size;
    const box = { ...piece, x: COLUMN[side], y, height: size };
    y -= place.endsWith("embedding") || place === "decoder.ffn.norm" ? 30 : GAP;
    return box;
  });
}

/** How high a column stands. */
function extent(model: ModelInfo, side: "encoder" | "decoder"): number {
  return 4 - Math.min(...column(model, side, 0).map((box) => box.y));
}

function frame(side: "encoder" | "decoder", boxes: readonly Box[], layers: number): Frame[] {
  const inside = boxes.filter((box) => ["attention", "norm", "ffn"].includes(box.tone));
  if (!inside.length) return [];
  const [top, bottom] = [Math.min(...inside.map((box) => box.y)), Math.max(...inside.map((box) => box.y + box.height))];
  return [{ side, x: COLUMN[side] - 10, top: top - 12, bottom: bottom + 14, layers }];
}

function upwards(boxes: readonly Box[]): string[] {
  return boxes.slice(1).map((box, index) => {
    const [x, from] = [box.x + BOX_WIDTH / 2, boxes[index]?.y ?? 0];
    return `M${x} ${from}V${box.y + box.height + 1}`;
  });
}

/** The way around a sub-layer: from below it (and below its norm in pre-norm) to its sum. */
function around(boxes: readonly Box[], side: "encoder" | "decoder", pre: boolean): string[] {
  return boxes.flatMap((box, index) => {
    if (box.tone !== "norm") return [];
    const other = pre ? boxes[index + 1] : boxes[index - 1];
    if (!other) return [];
    const [lower, upper] = pre ? [box, other] : [other, box];
    const edge = side === "encoder" ? box.x : box.x + BOX_WIDTH;
    const out = side === "encoder" ? -6 : 6;
    const middle = box.x + BOX_WIDTH / 2;
    const from = lower.y + lower.height + 7;
    const to = pre ? upper.y - 6 : upper.y + upper.height / 2;
    return [`M${middle} ${from}H${edge + out}V${to}H${pre ? middle : edge}`];
  });
}

export function figure(model: ModelInfo): Figure {
  const height = 6 + Math.max(extent(model, "encoder"), extent(model, "decoder"));
  const encoder = column(model, "encoder", height);
  const decoder = column(model, "decoder", height);
  const cross = decoder.find((box) => box.place === "decoder.cross");
  const last = encoder.at(-1);
  const bridge = cross && last
    ? [`M${last.x + BOX_WIDTH / 2} ${last.y}V${last.y - 26}H${COLUMN.decoder - 17}V${cross.y + cross.height / 2}H${cross.x - 1}`]
    : [];
  const pre = model.norm === "pre";
  return {
    boxes: [...encoder, ...decoder],
    frames: [...frame("encoder", encoder, model.encoder_layers ?? 1), ...frame("decoder", decoder, model.decoder_layers ?? 1)],
    arrows: [...upwards(encoder), ...upwards(decoder), ...bridge],
    residuals: [...around(encoder, "encoder", pre), ...around(decoder, "decoder", pre)],
    width: WIDTH,
    height,
  };
}
