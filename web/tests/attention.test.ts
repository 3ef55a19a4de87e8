import { describe, expect, it } from "vitest";
import { cell, mixture, type HeadTensors } from "../src/math/attention";

/** One query and four keys; the last key is masked. */
const HEAD: HeadTensors = {
  query: [2, 0], key: [1.5, 9, 0.7, -3, 0, 4, 5, 5], mask: [1, 1, 1, 0], rows: 1, columns: 4, size: 2, scale: Math.SQRT2,
};

describe("one cell", () => {
  it("goes from products to the weight", () => {
    const found = cell(HEAD, 0, 0);
    const scores = [3, 1.4, 0].map((score) => score / Math.SQRT2);
    const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    expect(found.products).toEqual([3, 0]);
    expect(found.sum).toBe(3);
    expect(found.scaled).toBeCloseTo(scores[0] ?? 0, 12);
    expect(found.weight).toBeCloseTo(Math.exp(scores[0] ?? 0) / total, 12);
    expect(found.exponent).toBe(1);
  });

  it("gives a masked key exactly 0, and the others sum to 1", () => {
    const masked = cell(HEAD, 0, 3);
    expect(masked.masked).toBe(true);
    expect(masked.weight).toBe(0);
    expect(masked.row[3]).toBeNull();
    expect([0, 1, 2].reduce((sum, j) => sum + cell(HEAD, 0, j).weight, 0)).toBeCloseTo(1, 12);
  });

  it("stays a number where every key is masked", () => {
    expect(cell({ ...HEAD, mask: [0, 0, 0, 0] }, 0, 1).weight).toBe(0);
  });
});

it("mixes values by their weights", () => {
  expect([...mixture([0.5, 0.25], [2, 4, 8, 16], 2, 2)]).toEqual([1, 2, 2, 4]);
});
