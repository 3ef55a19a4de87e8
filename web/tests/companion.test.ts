import { expect, it } from "vitest";
import type { Token, TraceMeta } from "../src/api/types";
import { companionOf } from "../src/inspector/companion";

/** A trace of a text with a tag, a piece for each two characters of a word, and `<eos>`. */
function traced(text: string, longest: number | null, padding = 0): TraceMeta {
  const spoken: Token[] = [...text.matchAll(/\s*\S{1,2}/gu)].map((found) => {
    const start = [...text.slice(0, found.index)].length;
    return { id: 9, piece: found[0], start, end: start + [...found[0]].length, unknown: false };
  });
  const special: Token = { id: 3, piece: "<eos>", start: null, end: null, unknown: false };
  const tokens = [special, ...spoken, special, ...Array.from({ length: padding }, () => special)];
  const model = { longest_source: longest, max_length: 1024 };
  return { model, source: { text, tokens }, source_padding: padding } as unknown as TraceMeta;
}

it("says a short sentence twice", () => {
  expect(companionOf(traced("cats sit", 40))).toBe("cats sit cats sit");
  expect(companionOf(traced("cats sit", null))).toBe("cats sit cats sit");
});

it("adds only the whole words that the model has room for", () => {
  expect(companionOf(traced("cats sit on mats", 9 + 4))).toBe("cats sit on mats cats sit");
  expect(companionOf(traced("cats sit on mats", 9 + 3))).toBe("cats sit on mats cats");
});

it("knows where nothing longer fits", () => {
  expect(companionOf(traced("cats sit on mats", 9 + 1))).toBeNull();
  expect(companionOf(traced("cats sit on mats", 9))).toBeNull();
});

it("counts no padding, and characters as people do", () => {
  expect(companionOf(traced("😀😀 개 너", 5 + 2, 5))).toBe("😀😀 개 너 😀😀 개");
});
