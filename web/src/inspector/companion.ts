/** The longer sentence that stands beside another one, so that there is padding to see. */

import type { TraceMeta } from "../api/types";

/** The text, then as many of its own first words as the model has room for, at most all; null where none fits. */
export function companionOf(meta: TraceMeta): string | null {
  const { text, tokens } = meta.source;
  const most = Math.min(meta.model.longest_source ?? Infinity, meta.model.max_length ?? Infinity);
  const room = most - (tokens.length - meta.source_padding);
  const characters = [...text];
  const ends = tokens.flatMap(({ end }) => (end === null ? [] : [end]));
  const words = ends.slice(0, Math.max(0, room)).filter((end) => /\s/.test(characters[end] ?? " "));
  const last = words.at(-1);
  return last === undefined ? null : `${text} ${characters.slice(0, last).join("").trim()}`;
}
