/** How much room words take, in the page's own letters. */

let pen: CanvasRenderingContext2D | null = null;

/** The width in pixels of a text that is drawn bold in letters of that size. */
export function widthOf(text: string, size: number): number {
  if (!pen) {
    pen = document.createElement("canvas").getContext("2d");
    if (!pen) return 0.7 * size * text.length;
    pen.font = `600 100px ${getComputedStyle(document.body).fontFamily}`;
  }
  return (pen.measureText(text).width * size) / 100;
}
