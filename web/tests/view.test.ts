import { describe, expect, it } from "vitest";
import { anyEdit, fromHash, START, toggled, toHash, type View } from "../src/state/view";

const EVERYTHING: View = {
  model: "demo", language: "ko", text: "The cat & the dog #1 = 100 %", target: "고양이와 개", beam: 7, best: 3, place: "decoder.self",
  layer: 2, head: 5, stage: "scaled", cell: { row: 4, column: 0 }, step: 6,
  edits: { mute: [{ site: "decoder.cross", layer: 0, head: 3 }, { site: "encoder.self", layer: 1, head: 0 }], no_scale: true, no_positions: true, no_look_ahead: true },
  edited: true, companion: "a longer one", shared: true, norms: true, chapter: 0, words: "ko", theme: "dark",
};

describe("the address", () => {
  it("is empty at the start", () => {
    expect(toHash(START)).toBe("");
    expect(fromHash("")).toEqual(START);
  });

  it("holds everything that is shown", () => {
    expect(fromHash(`#${toHash(EVERYTHING)}`)).toEqual(EVERYTHING);
  });

  it("takes nonsense for nothing", () => {
    const view = fromHash("#at=nowhere&l=-3&h=x&c=1.&t=1.5&b=1000&mute=decoder.cross.a.1 up.0.0&lang=xx&theme=pink&s=&tour=-1");
    expect(view).toEqual({ ...START, beam: 16, cell: view.cell });
    expect(fromHash("#c=a.b").cell).toBeNull();
  });
});

describe("edits", () => {
  it("mute a head and give it back", () => {
    const once = toggled(START.edits, "decoder.cross", 1, 2);
    expect(once.mute).toEqual([{ site: "decoder.cross", layer: 1, head: 2 }]);
    expect(anyEdit(once)).toBe(true);
    expect(anyEdit(toggled(once, "decoder.cross", 1, 2))).toBe(false);
  });
});
