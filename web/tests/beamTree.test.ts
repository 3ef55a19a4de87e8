import { describe, expect, it } from "vitest";
import type { BeamHistory, BeamNode } from "../src/api/types";
import { tree, winners } from "../src/inspector/beamTree";

function node(id: number, parent: number | null, state: BeamNode["state"], cumulative: number, normalised: number | null = null): BeamNode {
  return { id, parent, token: { id, piece: `▁${id}` }, logp: -1, cumulative, normalised, state };
}

const HISTORY: BeamHistory = {
  beam_size: 2,
  length_penalty: 0.6,
  steps: [
    { t: 0, candidates: [node(1, null, "live", -1), node(2, null, "pruned", -0.5), node(3, null, "live", -2)] },
    { t: 1, candidates: [node(4, 1, "finished", -3, -3), node(5, 3, "live", -2.5), node(6, 1, "pruned", -9)] },
    { t: 2, candidates: [node(7, 5, "finished", -2.6, -1.5)] },
  ],
};

describe("the tree of a search", () => {
  it("follows the finished hypothesis with the best score for its length back to the start", () => {
    expect([...winners(HISTORY)].sort()).toEqual([3, 5, 7]);
  });

  it("puts what went on above what was given up", () => {
    const { placed, rows, steps } = tree(HISTORY);
    expect(placed.filter((one) => one.t === 0).map((one) => [one.node.id, one.row])).toEqual([[1, 0], [3, 1], [2, 2]]);
    expect([rows, steps]).toEqual([3, 3]);
  });

  it("joins each node to its parent", () => {
    const { edges } = tree(HISTORY);
    expect(edges.find((edge) => edge.to.node.id === 7)?.from?.node.id).toBe(5);
    expect(edges.find((edge) => edge.to.node.id === 1)?.from).toBeNull();
  });

  it("draws an empty search", () => {
    expect(tree({ ...HISTORY, steps: [] })).toMatchObject({ placed: [], rows: 1, steps: 0 });
  });
});
