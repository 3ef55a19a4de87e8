/** The guided tour: each chapter opens what it talks about. Its words are under `tour.N.title` and `tour.N.text`. */

import type { View } from "./view";

export const CHAPTERS: readonly Partial<View>[] = [
  { place: "source.tokens" },
  { place: "encoder.embedding" },
  { place: "encoder.self", stage: "scores", layer: 0 },
  { place: "encoder.self", stage: "scaled", layer: 0, shared: true },
  { place: "encoder.self", stage: "weights", layer: 0, shared: false },
  { place: "encoder.self", stage: "concat", layer: 0 },
  { place: "decoder.self", stage: "mask", layer: 0 },
  { place: "padding" },
  { place: "encoder.ffn", layer: 0 },
  { place: "encoder.self.norm", layer: 0 },
  { place: "decoder.cross", stage: "weights", layer: -1 },
  { place: "output", step: 0 },
  { place: "beam", step: 0 },
  { place: "heads" },
  { place: "whatif" },
];
