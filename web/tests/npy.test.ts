import { describe, expect, it } from "vitest";
import { half, part, readNpy } from "../src/api/npy";

/** A .npy file, version 1. */
function npy(descr: string, shape: string, bytes: Uint8Array): ArrayBuffer {
  const header = new TextEncoder().encode(`{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117) + "\n");
  const file = new Uint8Array(10 + header.length + bytes.length);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  file.set(header, 10);
  file.set(bytes, 10 + header.length);
  return file.buffer;
}

describe("reading .npy", () => {
  it("reads float32 and its shape", () => {
    const values = Float32Array.of(1.5, -2, 3, 4, 5, 6);
    const tensor = readNpy(npy("<f4", "(2, 3)", new Uint8Array(values.buffer)));
    expect(tensor.shape).toEqual([2, 3]);
    expect([...tensor.data]).toEqual([...values]);
    expect([...part(tensor, 1).data]).toEqual([4, 5, 6]);
    expect(part(tensor, 1).shape).toEqual([3]);
  });

  it("reads float16: normal, subnormal, infinite, not a number", () => {
    expect(half(0x3c00)).toBe(1);
    expect(half(0xc000)).toBe(-2);
    expect(half(0x3555)).toBeCloseTo(1 / 3, 3);
    expect(half(0x0001)).toBe(2 ** -24);
    expect(half(0xfc00)).toBe(Number.NEGATIVE_INFINITY);
    expect(half(0x7e00)).toBeNaN();
    expect([...readNpy(npy("<f2", "(2,)", Uint8Array.of(0x00, 0x3c, 0x00, 0xc0))).data]).toEqual([1, -2]);
  });

  it("reads bytes, booleans and a scalar", () => {
    expect([...readNpy(npy("|u1", "(3,)", Uint8Array.of(0, 128, 255))).data]).toEqual([0, 128, 255]);
    expect([...readNpy(npy("|b1", "(1, 2)", Uint8Array.of(1, 0))).data]).toEqual([1, 0]);
    expect(readNpy(npy("|u1", "()", Uint8Array.of(7))).shape).toEqual([]);
  });

  it("refuses what it can't read", () => {
    expect(() => readNpy(new ArrayBuffer(4))).toThrow("not a .npy file");
    expect(() => readNpy(npy("<c8", "(1,)", new Uint8Array(8)))).toThrow("can't read");
  });
});
