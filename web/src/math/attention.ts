/** The arithmetic of attention, done again in the page from q, k and the mask: equation 1 of the paper, cell by cell. */

export interface CellArithmetic {
  readonly query: readonly number[];
  readonly key: readonly number[];
  /** q_d · k_d for each dimension d. */
  readonly products: readonly number[];
  /** Σ_d q_d · k_d */
  readonly sum: number;
  /** √d_k, or 1 where the scale is dropped. */
  readonly scale: number;
  readonly scaled: number;
  readonly masked: boolean;
  /** The row's scaled scores; null where masked. */
  readonly row: readonly (number | null)[];
  readonly maximum: number;
  /** exp(s_ij − max), 0 where masked. */
  readonly exponent: number;
  /** Σ_j exp(s_ij − max) over the keys that may be seen. */
  readonly denominator: number;
  readonly weight: number;
}

export interface HeadTensors {
  readonly query: ArrayLike<number>;
  readonly key: ArrayLike<number>;
  /** 1 where the query may see the key, [Tq, Tk]. */
  readonly mask: ArrayLike<number>;
  readonly rows: number;
  readonly columns: number;
  readonly size: number;
  readonly scale: number;
}

function row(values: ArrayLike<number>, index: number, size: number): number[] {
  return Array.from({ length: size }, (_, d) => values[index * size + d] ?? 0);
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, d) => sum + value * (right[d] ?? 0), 0);
}

/** Everything between q_i, k_j and the weight α_ij. */
export function cell(head: HeadTensors, i: number, j: number): CellArithmetic {
  const query = row(head.query, i, head.size);
  const key = row(head.key, j, head.size);
  const products = query.map((value, d) => value * (key[d] ?? 0));
  const sum = dot(query, key);
  const scores = Array.from({ length: head.columns }, (_, column) =>
    head.mask[i * head.columns + column] ? dot(query, row(head.key, column, head.size)) / head.scale : null,
  );
  const seen = scores.filter((score) => score !== null);
  const maximum = seen.length ? Math.max(...seen) : 0;
  const denominator = seen.reduce((total, score) => total + Math.exp(score - maximum), 0);
  const own = scores[j] ?? null;
  const exponent = own === null ? 0 : Math.exp(own - maximum);
  return {
    query, key, products, sum, scale: head.scale, scaled: sum / head.scale, masked: own === null, row: scores, maximum,
    exponent, denominator, weight: denominator ? exponent / denominator : 0,
  };
}

/** α_ij v_j for one query: what each value adds to its context, [Tk, d_v]. */
export function mixture(weights: ArrayLike<number>, value: ArrayLike<number>, columns: number, size: number): Float32Array {
  return Float32Array.from({ length: columns * size }, (_, n) => (weights[Math.floor(n / size)] ?? 0) * (value[n] ?? 0));
}
