/** A matrix as a figure of its own: SVG whose text is text, or PNG at twice the size. */

import { css, pixel, rampOf, type Scale, type Theme } from "../paint/colours";
import { widthOf } from "../paint/letters";
import { at, hidden, paint, paintSmall, type Matrix } from "../paint/matrix";

export interface Captioned {
  readonly matrix: Matrix;
  readonly scale: Scale;
  readonly theme: Theme;
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
}

const CELL = 22;
const LETTERS = 12;
const TITLE = 30;
const FONT = `${LETTERS}px system-ui, sans-serif`;
/** Up to this many rows and columns a cell is a rectangle; beyond, the cells are one embedded bitmap. */
const MOST = 64;

function room(picture: Captioned): { left: number; top: number; cell: number } {
  const longest = (names: readonly string[]): number => Math.max(0, ...names.map((name) => widthOf(name, LETTERS)));
  const many = Math.max(picture.matrix.rows, picture.matrix.columns) > MOST;
  return { left: longest(picture.rows) + 14, top: TITLE + longest(picture.columns) * 0.75 + 14, cell: many ? 12 : CELL };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function rectangles(picture: Captioned, left: number, top: number, cell: number): string {
  const { matrix, scale, theme } = picture;
  const colours = rampOf(scale, theme);
  const cells: string[] = [];
  for (let r = 0; r < matrix.rows; r++) {
    for (let c = 0; c < matrix.columns; c++) {
      const fill = hidden(matrix, r, c) ? "url(#masked)" : css(pixel(at(matrix, r, c), scale, colours));
      cells.push(`<rect x="${left + c * cell}" y="${top + r * cell}" width="${cell}" height="${cell}" fill="${fill}"/>`);
    }
  }
  return cells.join("\n");
}

function bitmap(picture: Captioned, left: number, top: number, cell: number): string {
  const canvas = document.createElement("canvas");
  paintSmall(canvas, picture.matrix, picture.scale, picture.theme);
  const [width, height] = [picture.matrix.columns * cell, picture.matrix.rows * cell];
  const note = `<desc>${picture.matrix.rows} × ${picture.matrix.columns} cells as a bitmap, one pixel each</desc>`;
  const at = `x="${left}" y="${top}" width="${width}" height="${height}"`;
  return `<image ${at} style="image-rendering:pixelated" preserveAspectRatio="none" href="${canvas.toDataURL()}">${note}</image>`;
}

export function svg(picture: Captioned): string {
  const { left, top, cell } = room(picture);
  const { matrix } = picture;
  const small = Math.max(matrix.rows, matrix.columns) <= MOST;
  const [width, height] = [left + matrix.columns * cell + 60, top + matrix.rows * cell + 14];
  const ink = picture.theme === "light" ? "#222" : "#eee";
  const text = (x: number, y: number, words: string, more: string): string =>
    `<text x="${x}" y="${y}" ${more}>${escaped(words)}</text>`;
  const names = [
    ...picture.rows.map((name, r) => text(left - 6, top + (r + 0.68) * cell, name, 'text-anchor="end"')),
    ...picture.columns.map((name, c) => {
      const x = left + (c + 0.6) * cell;
      return text(x, top - 6, name, `transform="rotate(-48 ${x} ${top - 6})"`);
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="${ink}">
<defs><pattern id="masked" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="#f4f3f0"/><path d="M0 0V5" stroke="#a9a7a1"/></pattern></defs>
${text(8, 20, picture.title, 'font-size="14" font-weight="600"')}
${small ? rectangles(picture, left, top, cell) : bitmap(picture, left, top, cell)}
${names.join("\n")}
</svg>
`;
}

export function png(picture: Captioned): Promise<Blob> {
  const { left, top, cell } = room(picture);
  const { matrix, theme } = picture;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * (left + matrix.columns * cell + 60), 2 * (top + matrix.rows * cell + 14)];
  const pen = canvas.getContext("2d");
  if (!pen) return Promise.reject(new Error("this browser draws no pictures"));
  pen.scale(2, 2);
  pen.fillStyle = theme === "light" ? "#fff" : "#1a1b21";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = theme === "light" ? "#222" : "#eee";
  pen.font = `600 ${FONT}`;
  pen.fillText(picture.title, 8, 20);
  pen.font = FONT;
  pen.textAlign = "right";
  picture.rows.forEach((name, r) => pen.fillText(name, left - 6, top + (r + 0.68) * cell));
  pen.textAlign = "left";
  picture.columns.forEach((name, c) => {
    pen.save();
    pen.translate(left + (c + 0.6) * cell, top - 6);
    pen.rotate((-48 * Math.PI) / 180);
    pen.fillText(name, 0, 0);
    pen.restore();
  });
  const cells = document.createElement("canvas");
  paint(cells, matrix, picture.scale, theme, cell, cell, 2);
  pen.drawImage(cells, left, top, matrix.columns * cell, matrix.rows * cell);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}
