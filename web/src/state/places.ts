/** The parts of the model that can be opened, in the order data flows through them. */

import type { ModelInfo, SiteName } from "../api/types";

export const PLACES = [
  "source.tokens", "encoder.embedding", "encoder.self", "encoder.self.norm", "encoder.ffn", "encoder.ffn.norm",
  "target.tokens", "decoder.embedding", "decoder.self", "decoder.self.norm", "decoder.cross", "decoder.cross.norm",
  "decoder.ffn", "decoder.ffn.norm", "output", "beam", "heads", "whatif", "padding",
] as const;
export type Place = (typeof PLACES)[number];

const ALWAYS: readonly Place[] = ["source.tokens", "target.tokens", "output", "beam"];

/** Whether a model of this kind has the place; an RNN with attention has of the strip its alignment alone. */
export function has(model: ModelInfo, place: Place): boolean {
  if (model.kind === "transformer") return true;
  return ALWAYS.includes(place) || (place === "decoder.cross" && model.has_attention);
}

export function isSite(place: Place): place is SiteName {
  return place === "encoder.self" || place === "decoder.self" || place === "decoder.cross";
}

/** Which stack's layers a place belongs to. */
export function layersAt(model: ModelInfo, place: Place): number {
  if (model.kind !== "transformer") return 1;
  return (place.startsWith("encoder") ? model.encoder_layers : model.decoder_layers) ?? 1;
}
