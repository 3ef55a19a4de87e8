/** Matrices onto a canvas: one pixel a cell, then enlarged without smoothing; masked cells hatched on top. */

import { pixel, rampOf, type Scale, type Theme } from "./colours";

export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  /** Row after row. */
  readonly data: ArrayLike<number>;
  /** 1 where the cell may be seen; without it every cell may. */
  readonly visible?: ArrayLike<number> | undefined;
}

export interface Cell {
  readonly row: number;
  readonly column: number;
}

export function at(matrix: Matrix, row: number, column: number): number {
  return matrix.data[row * matrix.columns + column] ?? Number.NaN;
}

export function hidden(matrix: Matrix, row: number, column: number): boolean {
  return matrix.visible !== undefined && !matrix.visible[row * matrix.columns + column];
}

/** The largest absolute value among the cells that may be seen. */
export function bound(matrix: Matrix): number {
  let largest = 0;
  for (let i = 0; i < matrix.data.length; i++) {
    if (matrix.visible && !matrix.visible[i]) continue;
    largest = Math.max(largest, Math.abs(matrix.data[i] ?? 0));
  }
  return largest;
}

export function transposed(matrix: Matrix): Matrix {
  const data = new Float32Array(matrix.rows * matrix.columns);
  for (let r = 0; r < matrix.rows; r++) {
    for (let c = 0; c < matrix.columns; c++) data[c * matrix.rows + r] = at(matrix, r, c);
  }
  return { rows: matrix.columns, columns: matrix.rows, data };
}

/** The cells as an image, one pixel each. */
export function image(matrix: Matrix, scale: Scale, theme: Theme): ImageData {
  const picture = new ImageData(matrix.columns, matrix.rows);
  const pixels = new Uint32Array(picture.data.buffer);
  const colours = rampOf(scale, theme);
  for (let i = 0; i < pixels.length; i++) pixels[i] = pixel(matrix.data[i] ?? 0, scale, colours);
  return picture;
}

/** Draws at one pixel a cell; the style sheet enlarges it. For thumbnails, of which there are many. */
export function paintSmall(canvas: HTMLCanvasElement, matrix: Matrix, scale: Scale, theme: Theme): void {
  canvas.width = matrix.columns;
  canvas.height = matrix.rows;
  canvas.getContext("2d")?.putImageData(image(matrix, scale, theme), 0, 0);
}

/** Draws cells of the given size in CSS pixels, sharp at the screen's resolution; masked ones hatched. */
export function paint(
  canvas: HTMLCanvasElement, matrix: Matrix, scale: Scale, theme: Theme, width: number, height: number, sharpness: number,
): void {
  const total = { width: matrix.columns * width, height: matrix.rows * height };
  canvas.width = Math.max(1, Math.round(total.width * sharpness));
  canvas.height = Math.max(1, Math.round(total.height * sharpness));
  const pen = canvas.getContext("2d");
  if (!pen || !matrix.rows || !matrix.columns) return;
  const small = document.createElement("canvas");
  paintSmall(small, matrix, scale, theme);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(small, 0, 0, canvas.width, canvas.height);
  if (!matrix.visible) return;
  pen.scale(canvas.width / total.width, canvas.height / total.height);
  hatch(pen, matrix, theme, width, height);
}

/** Masked cells: blank paper with slanted lines that run on from cell to cell. */
function hatch(pen: CanvasRenderingContext2D, matrix: Matrix, theme: Theme, width: number, height: number): void {
  const cells = new Path2D();
  for (let r = 0; r < matrix.rows; r++) {
    for (let c = 0; c < matrix.columns; c++) {
      if (hidden(matrix, r, c)) cells.rect(c * width, r * height, width, height);
    }
  }
  const [right, bottom] = [matrix.columns * width, matrix.rows * height];
  const step = Math.max(3, Math.min(6, width / 2, height / 2));
  pen.save();
  pen.clip(cells);
  pen.fillStyle = theme === "light" ? "#f4f3f0" : "#202127";
  pen.fillRect(0, 0, right, bottom);
  pen.strokeStyle = theme === "light" ? "#a9a7a1" : "#62646e";
  pen.lineWidth = 0.8;
  pen.beginPath();
  for (let x = -bottom; x < right; x += step) {
    pen.moveTo(x, bottom);
    pen.lineTo(x + bottom, 0);
  }
  pen.stroke();
  pen.restore();
}
