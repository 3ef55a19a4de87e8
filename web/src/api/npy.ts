/** NumPy's file format, version 1 to 3: little-endian float16, float32, float64, integers and booleans. */

export interface Tensor {
  readonly shape: readonly number[];
  /** Row after row (C order). */
  readonly data: Float32Array;
}

type Decoder = (view: DataView, start: number, count: number) => Float32Array;

function reading(bytes: number, read: (view: DataView, at: number) => number): Decoder {
  return (view, start, count) => Float32Array.from({ length: count }, (_, i) => read(view, start + i * bytes));
}

/** IEEE 754 half precision as a number. */
export function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const DECODERS: Readonly<Record<string, Decoder>> = {
  "<f2": reading(2, (view, at) => half(view.getUint16(at, true))),
  "<f4": reading(4, (view, at) => view.getFloat32(at, true)),
  "<f8": reading(8, (view, at) => view.getFloat64(at, true)),
  "|u1": reading(1, (view, at) => view.getUint8(at)),
  "|b1": reading(1, (view, at) => view.getUint8(at)),
  "<i8": reading(8, (view, at) => Number(view.getBigInt64(at, true))),
};

/** Reads a `.npy` file. Throws an Error for anything else. */
export function readNpy(buffer: ArrayBuffer): Tensor {
  const view = new DataView(buffer);
  if (buffer.byteLength < 10 || view.getUint32(0) !== 0x934e554d) throw new Error("not a .npy file");
  const wide = view.getUint8(6) > 1;
  const start = wide ? 12 : 10;
  const length = wide ? view.getUint32(8, true) : view.getUint16(8, true);
  const header = new TextDecoder().decode(new Uint8Array(buffer, start, length));
  const type = /'descr':\s*'([^']+)'/.exec(header)?.[1] ?? "";
  const decode = DECODERS[type];
  const dimensions = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1];
  if (!decode || dimensions === undefined || /'fortran_order':\s*True/.test(header)) {
    throw new Error(`can't read this .npy file: ${header.trim()}`);
  }
  const shape = dimensions.split(",").filter((part) => part.trim()).map(Number);
  return { shape, data: decode(view, start + length, shape.reduce((product, size) => product * size, 1)) };
}

/** Reads a `.npy` file written as base64. */
export function readNpyBase64(text: string): Tensor {
  return readNpy(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

/** Element `index` of the first axis. */
export function part(tensor: Tensor, index: number): Tensor {
  const shape = tensor.shape.slice(1);
  const size = shape.reduce((product, length) => product * length, 1);
  return { shape, data: tensor.data.subarray(index * size, (index + 1) * size) };
}
