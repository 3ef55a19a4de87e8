import { expect, it } from "vitest";
import type { BeamNode } from "../src/api/types";
import { partialText } from "../src/state/partial";

function node(id: number, parent: number | null, piece: string, cumulative: number, state: BeamNode["state"] = "live"): BeamNode {
  return { id, parent, token: { id, piece }, logp: 0, cumulative, normalised: null, state };
}

it("follows the best hypothesis that is alive", () => {
  const steps = [
    { t: 0, candidates: [node(1, null, "▁le", -1), node(2, null, "▁la", -2)] },
    { t: 1, candidates: [node(3, 1, "▁chat", -9), node(4, 2, "▁rue", -3), node(5, 1, "▁a", -0.5, "pruned")] },
  ];
  expect(partialText(steps)).toBe("la rue");
  expect(partialText([])).toBe("");
});

it("begins anew with each sentence, whose nodes are numbered from the start", () => {
  const steps = [
    { t: 0, sentence: 0, candidates: [node(1, null, "▁un", -1)] },
    { t: 0, sentence: 1, candidates: [node(1, null, "▁deux", -1)] },
    { t: 1, sentence: 1, candidates: [node(2, 1, "<eos>", -1, "finished")] },
  ];
  expect(partialText(steps)).toBe("un deux");
});
