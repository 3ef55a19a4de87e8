/** One attention head's tensors, and the matrices of the strip that they make. */

import type { Tensor } from "../api/npy";
import type { Trace } from "../api/trace";
import type { SiteName, TraceMeta } from "../api/types";
import type { HeadTensors } from "../math/attention";
import { diverging, sequential, type Scale } from "../paint/colours";
import { bound, type Matrix } from "../paint/matrix";
import { labels, steps } from "../state/labels";
import { STAGES, type Stage } from "../state/view";

/** The tensor behind each stage of the strip. */
const TENSOR: Readonly<Record<Stage, string>> = {
  q: "q", k: "k", scores: "scores", scaled: "scaled", mask: "mask", weights: "weights", v: "v", context: "context",
  concat: "concat", output: "output",
};
const OF_ALL_HEADS: readonly Stage[] = ["concat", "output"];

export interface Head {
  readonly site: SiteName;
  readonly layer: number;
  readonly head: number;
  readonly matrices: Readonly<Partial<Record<Stage, Matrix>>>;
  /** α·‖v W^O‖ where the trace has it. */
  readonly norms: Matrix | null;
}

function matrix(tensor: Tensor, visible?: ArrayLike<number>): Matrix {
  const [rows = 1, columns = 1] = tensor.shape.length === 2 ? tensor.shape : [1, tensor.shape[0] ?? 1];
  return { rows, columns, data: tensor.data, visible };
}

/** Fetches what the strip shows of a head; what the model's kind lacks is left out. */
export async function loadHead(trace: Trace, site: SiteName, layer: number, head: number): Promise<Head> {
  const known = new Set(trace.meta.tensors.map((entry) => entry.name));
  const fetch = async (name: string, whole: boolean): Promise<Tensor | null> =>
    known.has(name) ? trace.tensor(name, layer, whole ? undefined : head) : null;
  const tensors = await Promise.all(STAGES.map((stage) => fetch(`${site}.${TENSOR[stage]}`, OF_ALL_HEADS.includes(stage))));
  const norms = await fetch(`${site}.weighted_norms`, false);
  const mask = tensors[STAGES.indexOf("mask")]?.data;
  const scaled = tensors[STAGES.indexOf("scaled")];
  const matrices: Partial<Record<Stage, Matrix>> = {};
  STAGES.forEach((stage, index) => {
    const tensor = tensors[index];
    if (!tensor) return;
    if (stage === "mask") {
      if (scaled) matrices.mask = matrix(scaled, mask);
    } else matrices[stage] = matrix(tensor, stage === "weights" ? mask : undefined);
  });
  return { site, layer, head, matrices, norms: norms ? matrix(norms, mask) : null };
}

/** What the arithmetic of a cell needs, or null where the trace has weights alone. */
export function arithmetic(head: Head, meta: TraceMeta): HeadTensors | null {
  const { q, k, mask } = head.matrices;
  if (!q || !k || !mask?.visible) return null;
  const scale = meta.sites.find((site) => site.name === head.site)?.scale ?? Math.sqrt(q.columns);
  return { query: q.data, key: k.data, mask: mask.visible, rows: q.rows, columns: k.rows, size: q.columns, scale };
}

/** The scale of a stage: weights from 0 to 1, everything else around zero; one for the strip or one for each matrix. */
export function scaleOf(head: Head, stage: Stage, shared: boolean): Scale {
  const own = head.matrices[stage];
  if (stage === "weights") return sequential(shared || !own ? 1 : bound(own));
  if (!shared) return diverging(own ? bound(own) : 1);
  const signed = Object.entries(head.matrices).filter(([name]) => name !== "weights");
  return diverging(Math.max(...signed.map(([, one]) => bound(one))));
}

export function queryNames(meta: TraceMeta, site: SiteName): string[] {
  return site === "encoder.self" ? labels(meta.source.tokens) : steps(meta);
}

export function keyNames(meta: TraceMeta, site: SiteName): string[] {
  return labels(site === "decoder.self" ? meta.target.tokens_in : meta.source.tokens);
}

/** Whether a stage's columns are keys; else they are dimensions. */
export function overKeys(stage: Stage): boolean {
  return stage === "scores" || stage === "scaled" || stage === "mask" || stage === "weights";
}

/** Whether a stage's rows are keys. */
export function keyRows(stage: Stage): boolean {
  return stage === "k" || stage === "v";
}
