/** Numbers as people read them: a true minus sign, as many digits as the size of the number asks for. */

export function readable(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : value > 0 ? "∞" : "–";
  const size = Math.abs(value);
  const text = size !== 0 && size < 10 ** -digits / 2 ? value.toExponential(1) : value.toFixed(digits);
  return text.replaceAll("-", "−");
}

export function percent(value: number): string {
  if (value > 0 && value < 0.0005) return "<\u00a00.1\u00a0%";
  return `${(100 * value).toFixed(value < 0.0995 && value > 0 ? 1 : 0)}\u00a0%`;
}

export function thousands(value: number): string {
  return value.toLocaleString("en").replaceAll(",", " ");
}
