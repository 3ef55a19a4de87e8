import { expect, it } from "vitest";
import type { Token } from "../src/api/types";
import { isByte, joined, labels, shown } from "../src/state/labels";

const token = (piece: string): Token => ({ id: 5, piece, start: 0, end: 1, unknown: false });

it("marks a piece that goes on with a word", () => {
  expect(labels(["<sos>", "▁chat", "s", "▁", "."].map(token))).toEqual(["<sos>", "chat", "·s", "␣", "."]);
});

it("leaves whole words as they are", () => {
  expect(labels(["bado", "kilu"].map(token))).toEqual(["bado", "kilu"]);
});

it("joins pieces to text", () => {
  expect(joined(["▁le", "▁cha", "t", ".", "<eos>"])).toBe("le chat.");
  expect(shown("▁New▁York")).toBe("New␣York");
});

it("tells bytes from pieces that look like them", () => {
  expect(["<0xE2>", "<0x0A>", "<eos>", "0xE2", "<0xE2>s"].map((piece) => isByte(token(piece)))).toEqual([true, true, false, false, false]);
});
