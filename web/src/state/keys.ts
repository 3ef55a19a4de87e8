/** The keyboard, from which everything can be reached. */

import type { SiteName } from "../api/types";
import { layersAt } from "./places";
import { page } from "./page.svelte";
import { session } from "./session.svelte";

const SITE_OF_KEY: Readonly<Record<string, SiteName>> = { "1": "encoder.self", "2": "decoder.self", "3": "decoder.cross" };

/** The layer shown: what the view says, kept within the model; by default one that aligns words well, which is the last of
 * a shallow stack and the last but one of a deep one (Garg et al. 2019, section 4.2). */
export function layerShown(): number {
  const model = session.trace?.meta.model ?? session.model;
  if (!model) return 0;
  const layers = layersAt(model, page.view.place);
  const aligning = layers > 3 ? layers - 2 : layers - 1;
  return page.view.layer < 0 ? aligning : Math.min(page.view.layer, layers - 1);
}

export function headShown(): number {
  const heads = session.trace?.meta.model.heads ?? 1;
  return Math.min(page.view.head, heads - 1);
}

export function stepShown(): number {
  return Math.min(page.view.step, Math.max(0, (session.trace?.meta.target.tokens_out.length ?? 1) - 1));
}

function around(value: number, by: number, count: number): number {
  return count ? (value + by + count) % count : 0;
}

/** Keys that mean something to the element that has the focus are left to it. */
function taken(event: KeyboardEvent): boolean {
  const element = event.target instanceof Element ? event.target : null;
  if (element?.closest("input, textarea, select, dialog")) return true;
  const pressing = event.key === " " || event.key === "Enter";
  const moving = event.key.startsWith("Arrow") && element?.closest("[data-arrows]") !== null;
  return (pressing && element?.closest("button, a, summary, [role=button]") !== null) || moving;
}

/** What a key does, wherever the focus is. */
export function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || taken(event)) return;
  const act = action(event.key);
  if (!act) return;
  event.preventDefault();
  act();
}

function action(key: string): (() => void) | null {
  const model = session.trace?.meta.model ?? session.model;
  const layers = model ? layersAt(model, page.view.place) : 1;
  const site = SITE_OF_KEY[key];
  if (site) return () => page.go({ place: site, cell: null });
  switch (key) {
    case "[": return () => page.go({ layer: around(layerShown(), -1, layers) });
    case "]": return () => page.go({ layer: around(layerShown(), 1, layers) });
    case ",": return () => page.go({ head: around(headShown(), -1, model?.heads ?? 1) });
    case ".": return () => page.go({ head: around(headShown(), 1, model?.heads ?? 1) });
    case "ArrowLeft": return () => page.go({ step: Math.max(0, stepShown() - 1) });
    case "ArrowRight": return () => step(1);
    case " ": return () => (page.playing = !page.playing);
    case "t": return () => (page.table = !page.table);
    case "?": return () => (page.help = true);
    default: return null;
  }
}

function step(by: number): void {
  const last = (session.trace?.meta.target.tokens_out.length ?? 1) - 1;
  page.go({ step: Math.max(0, Math.min(stepShown() + by, last)) });
}
