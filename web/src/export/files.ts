/** Files that the page makes itself, without a server. */

import { at, hidden, type Matrix } from "../paint/matrix";

/** Hands a file to the person. */
export function save(content: BlobPart, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A matrix as comma-separated values, names in the first row and column; masked cells are empty. */
export function csv(matrix: Matrix, rows: readonly string[], columns: readonly string[]): string {
  const lines = rows.map((name, r) =>
    [quoted(name), ...columns.map((_, c) => (hidden(matrix, r, c) ? "" : String(at(matrix, r, c))))].join(","),
  );
  return `${["", ...columns.map(quoted)].join(",")}\n${lines.join("\n")}\n`;
}
