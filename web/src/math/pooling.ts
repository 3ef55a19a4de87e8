/** Long matrices made small by the largest value of each block, so that a lone strong weight stays visible. */

import { at, type Matrix } from "../paint/matrix";

export function pooled(matrix: Matrix, most: number): Matrix {
  if (matrix.rows <= most && matrix.columns <= most) return matrix;
  const [rows, columns] = [Math.min(most, matrix.rows), Math.min(most, matrix.columns)];
  const data = new Float32Array(rows * columns).fill(Number.NEGATIVE_INFINITY);
  for (let r = 0; r < matrix.rows; r++) {
    for (let c = 0; c < matrix.columns; c++) {
      const place = Math.floor((r * rows) / matrix.rows) * columns + Math.floor((c * columns) / matrix.columns);
      data[place] = Math.max(data[place] ?? 0, at(matrix, r, c));
    }
  }
  return { rows, columns, data };
}

/** A window's first index: `around` in its middle, the window inside 0 … length. */
export function windowStart(around: number, size: number, length: number): number {
  return Math.max(0, Math.min(Math.floor(around - size / 2), length - size));
}

/** The part of a matrix that begins at (top, left). */
export function cut(matrix: Matrix, top: number, left: number, rows: number, columns: number): Matrix {
  const take = (values: ArrayLike<number>): Float32Array =>
    Float32Array.from({ length: rows * columns }, (_, n) => {
      const [r, c] = [top + Math.floor(n / columns), left + (n % columns)];
      return values[r * matrix.columns + c] ?? 0;
    });
  const visible = matrix.visible ? take(matrix.visible) : undefined;
  return { rows, columns, data: take(matrix.data), visible };
}
