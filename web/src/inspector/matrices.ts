/** Tensors of a whole layer, [T, D], as matrices. */

import type { Trace } from "../api/trace";
import { bound, type Matrix } from "../paint/matrix";
import { diverging, type Scale } from "../paint/colours";

export async function loadMatrices(trace: Trace, names: readonly string[], layer?: number): Promise<(Matrix | null)[]> {
  const known = new Set(trace.meta.tensors.map((entry) => entry.name));
  return Promise.all(
    names.map(async (name) => {
      if (!known.has(name)) return null;
      const { shape, data } = await trace.tensor(name, layer);
      const [rows = 1, columns = 1] = shape.length === 2 ? shape : [shape[0] ?? 1, 1];
      return { rows, columns, data };
    }),
  );
}

/** One scale for all of them, or one for each. */
export function scales(matrices: readonly (Matrix | null)[], shared: boolean): Scale[] {
  const bounds = matrices.map((matrix) => (matrix ? bound(matrix) : 0));
  const largest = Math.max(...bounds);
  return bounds.map((own) => diverging(shared ? largest : own));
}

export function difference(left: Matrix, right: Matrix): Matrix {
  const data = Float32Array.from(left.data, (value, i) => value - (right.data[i] ?? 0));
  return { rows: left.rows, columns: left.columns, data };
}

/** Mean and standard deviation of each row, over the dimensions. */
export function moments(matrix: Matrix): { readonly mean: number; readonly deviation: number }[] {
  return Array.from({ length: matrix.rows }, (_, r) => {
    const values = Array.from({ length: matrix.columns }, (_, c) => matrix.data[r * matrix.columns + c] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return { mean, deviation: Math.sqrt(variance) };
  });
}
