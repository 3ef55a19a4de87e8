/** Colour scales as tables of 256 packed pixels (alpha, blue, green, red from the highest byte), ready for ImageData. */

export type Theme = "light" | "dark";
export type Ramp = Uint32Array;

function channels(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A ramp through evenly spaced colours. */
export function ramp(...colours: readonly string[]): Ramp {
  const stops = colours.map(channels);
  return Uint32Array.from({ length: 256 }, (_, index) => {
    const place = (index / 255) * (stops.length - 1);
    const lower = Math.min(Math.floor(place), stops.length - 2);
    const share = place - lower;
    const [r, g, b] = [0, 1, 2].map((c) => {
      const [from, to] = [stops[lower]?.[c] ?? 0, stops[lower + 1]?.[c] ?? 0];
      return Math.round(from + (to - from) * share);
    }) as [number, number, number];
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
}

/** Weights from 0 to 1: viridis, the same on light and dark paper. */
export const SEQUENTIAL = ramp(
  "#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725",
);

/** Signed values: blue below zero, red above, zero the colour of the paper. */
export const DIVERGING: Readonly<Record<Theme, Ramp>> = {
  light: ramp("#123f78", "#2e74b5", "#83b5dc", "#d3e4f1", "#fbfaf8", "#f7ddd0", "#e9a085", "#c94f46", "#8a1230"),
  dark: ramp("#9fd0ff", "#5ba3e6", "#2f6cab", "#21405f", "#1b1c21", "#5c2c2f", "#a8423f", "#e8735a", "#ffc09f"),
};

/** A matrix's scale: the values at both ends of its ramp. */
export interface Scale {
  readonly kind: "sequential" | "diverging";
  readonly low: number;
  readonly high: number;
}

export function sequential(high = 1): Scale {
  return { kind: "sequential", low: 0, high: high > 0 ? high : 1 };
}

/** A scale around zero, wide enough for the given bound. */
export function diverging(bound: number): Scale {
  const limit = bound > 0 ? bound : 1;
  return { kind: "diverging", low: -limit, high: limit };
}

export function rampOf(scale: Scale, theme: Theme): Ramp {
  return scale.kind === "sequential" ? SEQUENTIAL : DIVERGING[theme];
}

/** The pixel for a value; what lies outside the scale takes the colour of its end. */
export function pixel(value: number, scale: Scale, colours: Ramp): number {
  const place = ((value - scale.low) / (scale.high - scale.low)) * 255;
  return colours[Math.max(0, Math.min(255, Math.round(place)))] ?? 0;
}

/** A pixel as a CSS colour. */
export function css(packed: number): string {
  return `rgb(${packed & 255} ${(packed >> 8) & 255} ${(packed >> 16) & 255})`;
}
