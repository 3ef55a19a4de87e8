import { describe, expect, it } from "vitest";
import { cut, pooled, windowStart } from "../src/math/pooling";
import { percent, readable } from "../src/math/numbers";
import { css, diverging, DIVERGING, pixel, SEQUENTIAL, sequential } from "../src/paint/colours";
import { bound, hidden, transposed } from "../src/paint/matrix";
import { csv } from "../src/export/files";

describe("colours", () => {
  it("run from dark to bright for weights", () => {
    expect(css(pixel(0, sequential(), SEQUENTIAL))).toBe("rgb(68 1 84)");
    expect(css(pixel(1, sequential(), SEQUENTIAL))).toBe("rgb(253 231 37)");
    expect(pixel(7, sequential(), SEQUENTIAL)).toBe(pixel(1, sequential(), SEQUENTIAL));
  });

  it("give zero the colour of the paper", () => {
    const [r, g, b] = css(pixel(0, diverging(3), DIVERGING.light)).match(/\d+/g)?.map(Number) ?? [];
    expect(Math.min(r ?? 0, g ?? 0, b ?? 0)).toBeGreaterThan(235);
  });

  it("take a scale without width for one", () => {
    expect(sequential(0).high).toBe(1);
    expect(diverging(0)).toEqual({ kind: "diverging", low: -1, high: 1 });
  });
});

describe("matrices", () => {
  const matrix = { rows: 2, columns: 3, data: [1, -5, 2, 3, 4, 9], visible: [1, 1, 1, 1, 1, 0] };

  it("know their masked cells, which no bound counts", () => {
    expect(hidden(matrix, 1, 2)).toBe(true);
    expect(bound(matrix)).toBe(5);
  });

  it("turn around", () => {
    expect([...(transposed(matrix).data as Float32Array)]).toEqual([1, 3, -5, 4, 2, 9]);
  });

  it("keep a lone strong weight when pooled", () => {
    const data = new Float32Array(200 * 200);
    data[123 * 200 + 77] = 1;
    const small = pooled({ rows: 200, columns: 200, data }, 64);
    expect([small.rows, small.columns, Math.max(...(small.data as Float32Array))]).toEqual([64, 64, 1]);
    expect(small.data[Math.floor((123 * 64) / 200) * 64 + Math.floor((77 * 64) / 200)]).toBe(1);
  });

  it("show a window that stays inside", () => {
    expect(windowStart(2, 40, 100)).toBe(0);
    expect(windowStart(99, 40, 100)).toBe(60);
    expect([...(cut(matrix, 1, 1, 1, 2).data as Float32Array)]).toEqual([4, 9]);
    expect([...(cut(matrix, 1, 1, 1, 2).visible as Float32Array)]).toEqual([1, 0]);
  });

  it("become CSV, masked cells empty and names quoted", () => {
    expect(csv(matrix, ["a,b", "c"], ["x", "y", "z"])).toBe(',x,y,z\n"a,b",1,-5,2\nc,3,4,\n');
  });
});

it("writes numbers as people read them", () => {
  expect([readable(-0.5), readable(0.0001), readable(Number.NEGATIVE_INFINITY), readable(0)]).toEqual(["−0.50", "1.0e−4", "−∞", "0.00"]);
  expect([percent(0.5), percent(0.012), percent(0)]).toEqual(["50\u00a0%", "1.2\u00a0%", "0\u00a0%"]);
});
