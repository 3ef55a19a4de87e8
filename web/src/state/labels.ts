/** Tokens as people read them. */

import type { Token, TraceMeta } from "../api/types";

/** sentencepiece's mark of a space, which begins a word. */
const SPACE = "▁";

/** One piece without its mark; a space alone is drawn. */
export function shown(piece: string): string {
  return piece.replace(/^▁(?=.)/, "").replaceAll(SPACE, "␣");
}

/** Whether a token is one byte of a character that the vocabulary has no piece for. */
export function isByte(token: Token): boolean {
  return /^<0x[0-9A-F]{2}>$/.test(token.piece);
}

/** Pieces as text. */
export function joined(pieces: readonly string[]): string {
  return pieces.filter((piece) => !/^<.*>$/.test(piece)).join("").replaceAll(SPACE, " ").trim();
}

/** Tokens by name; where words come in pieces, one that goes on with a word begins with "·". */
export function labels(tokens: readonly Token[]): string[] {
  const inPieces = tokens.some((token) => token.piece.startsWith(SPACE));
  return tokens.map(({ piece }) => (inPieces && /^[\p{L}\p{N}]/u.test(piece) ? `·${piece}` : shown(piece)));
}

/** A decoder's position reads one token and writes the next: "le → chat". */
export function steps(meta: TraceMeta): string[] {
  const out = labels(meta.target.tokens_out);
  return labels(meta.target.tokens_in).map((token, t) => `${token} → ${out[t] ?? ""}`);
}

/** Whether a token of the source is padding. */
export function padding(meta: TraceMeta, index: number): boolean {
  return index >= meta.source.tokens.length - meta.source_padding;
}
