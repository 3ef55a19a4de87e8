/** What a search would write if it ended now. */

import type { BeamNode, BeamStep } from "../api/types";
import { joined } from "./labels";

/** The best hypothesis of one sentence's steps, followed back to its beginning. */
function sentence(steps: readonly BeamStep[]): string {
  const known = new Map(steps.flatMap((step) => step.candidates).map((node) => [node.id, node]));
  const alive = steps.at(-1)?.candidates.filter((one) => one.state !== "pruned") ?? [];
  let node = alive.reduce<BeamNode | undefined>((best, one) => (best && best.cumulative >= one.cumulative ? best : one), undefined);
  const pieces: string[] = [];
  while (node) {
    pieces.unshift(node.token.piece);
    node = node.parent === null ? undefined : known.get(node.parent);
  }
  return joined(pieces);
}

/** The text so far; the steps of each sentence number their nodes anew. */
export function partialText(steps: readonly BeamStep[]): string {
  const sentences = new Map<number, BeamStep[]>();
  for (const step of steps) sentences.set(step.sentence ?? 0, [...(sentences.get(step.sentence ?? 0) ?? []), step]);
  return [...sentences.values()].map(sentence).join(" ");
}
