/** The beam's history as a tree to draw: a column a step, the better hypotheses above. */

import type { BeamHistory, BeamNode } from "../api/types";

export interface Placed {
  readonly node: BeamNode;
  readonly t: number;
  readonly row: number;
  /** On the way to the hypothesis that won. */
  readonly best: boolean;
}

export interface Edge {
  readonly from: Placed | null;
  readonly to: Placed;
}

export interface Tree {
  readonly placed: readonly Placed[];
  readonly edges: readonly Edge[];
  readonly steps: number;
  readonly rows: number;
}

/** Pruned candidates drawn at a step, the best first; a search looks at far more than anyone wants to see. */
const MOST_PRUNED = 6;

const ORDER: Readonly<Record<BeamNode["state"], number>> = { finished: 0, live: 0, pruned: 1 };

function better(a: BeamNode, b: BeamNode): number {
  return ORDER[a.state] - ORDER[b.state] || b.cumulative - a.cumulative;
}

/** The nodes from the start to the winner: the finished hypothesis with the best score for its length. */
export function winners(history: BeamHistory): ReadonlySet<number> {
  const all = history.steps.flatMap((step) => step.candidates);
  const known = new Map(all.map((node) => [node.id, node]));
  const finished = all.filter((node) => node.state === "finished");
  const score = (node: BeamNode): number => node.normalised ?? node.cumulative;
  let node = finished.reduce<BeamNode | undefined>((best, one) => (best && score(best) >= score(one) ? best : one), undefined);
  const path = new Set<number>();
  while (node && !path.has(node.id)) {
    path.add(node.id);
    node = node.parent === null ? undefined : known.get(node.parent);
  }
  return path;
}

export function tree(history: BeamHistory): Tree {
  const best = winners(history);
  const placed = history.steps.flatMap((step) => {
    let pruned = 0;
    return [...step.candidates]
      .sort(better)
      .filter((node) => node.state !== "pruned" || pruned++ < MOST_PRUNED)
      .map((node, row) => ({ node, t: step.t, row, best: best.has(node.id) }));
  });
  const known = new Map(placed.map((one) => [one.node.id, one]));
  const edges = placed.map((to) => ({ from: to.node.parent === null ? null : (known.get(to.node.parent) ?? null), to }));
  return { placed, edges, steps: history.steps.length, rows: Math.max(1, ...placed.map((one) => one.row + 1)) };
}
