/** Work in progress: the models, the translation under way, and the traces that the views look into. */

import { Client } from "../api/client";
import { asProblem, Problem } from "../api/problem";
import { embeddedTrace, ServerTrace, type Trace } from "../api/trace";
import { NO_EDITS, type BeamStep, type ModelInfo, type ScoredText, type TraceRequest } from "../api/types";
import { keyring } from "./keyring.svelte";
import { page } from "./page.svelte";
import { anyEdit } from "./view";

export type Work =
  | { readonly kind: "idle" }
  | { readonly kind: "working"; readonly encoded: boolean; readonly steps: readonly BeamStep[] }
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "problem"; readonly problem: Problem };

export type Opened =
  | { readonly kind: "none" }
  | { readonly kind: "opening" }
  | { readonly kind: "open"; readonly trace: Trace }
  | { readonly kind: "problem"; readonly problem: Problem };

/** The same sentence through the edited model: translated anew, and made to write the unedited translation. */
export interface Comparison {
  /** The model as it is, on the tokens that `forced` writes. */
  readonly reference: Trace;
  readonly translated: Trace | null;
  /** What the model as it is writes in the precision of edited ones; only precision and edits both alike compare. */
  readonly written: Trace;
  readonly forced: Trace;
}

export type Compared =
  | { readonly kind: "none" }
  | { readonly kind: "working" }
  | { readonly kind: "done"; readonly comparison: Comparison }
  | { readonly kind: "problem"; readonly problem: Problem };

const RENEWED_LATELY = 10_000; // milliseconds

export class Session {
  readonly client = new Client(keyring);
  models: readonly ModelInfo[] = $state.raw([]);
  work: Work = $state.raw({ kind: "idle" });
  opened: Opened = $state.raw({ kind: "none" });
  compared: Compared = $state.raw({ kind: "none" });
  /** What stands behind the best in the n-best list. */
  alternatives: readonly ScoredText[] = $state.raw([]);
  /** The text's sentences, as it was cut up to be translated. */
  sentences: readonly string[] = $state.raw([]);
  /** Whether the page is a file of its own, with one trace and no server. */
  offline = $state(false);

  /** The model that the view names, else the first. */
  readonly model: ModelInfo | null = $derived(this.models.find((one) => one.id === page.view.model) ?? this.models[0] ?? null);
  readonly base: Trace | null = $derived(this.opened.kind === "open" ? this.opened.trace : null);
  /** The trace that the views show. */
  readonly trace: Trace | null = $derived(
    page.view.edited && this.compared.kind === "done" ? this.compared.comparison.forced : this.base,
  );

  #running: AbortController | null = null;
  #renewed = -RENEWED_LATELY;

  async start(): Promise<void> {
    const own = embeddedTrace(document);
    if (own) {
      this.offline = true;
      this.models = [own.meta.model];
      this.work = { kind: "done", text: own.meta.target.text };
      this.opened = { kind: "open", trace: own };
      return;
    }
    try {
      this.models = await this.client.models();
    } catch (error) {
      this.work = { kind: "problem", problem: asProblem(error) };
      return;
    }
    if (page.view.text) await this.translate();
  }

  /** Translates the view's text, telling every step, then opens the trace of what came out. */
  async translate(): Promise<void> {
    this.stop();
    if (this.offline) return;
    if (!this.models.length) return this.start();
    const { text } = page.view;
    if (!text.trim()) {
      this.work = { kind: "problem", problem: new Problem("empty") };
      return;
    }
    const running = new AbortController();
    this.#running = running;
    this.#forget();
    this.work = { kind: "working", encoded: false, steps: [] };
    try {
      await (page.view.target ? this.#open(running.signal) : this.#search(running.signal));
    } catch (error) {
      if (running.signal.aborted) return;
      this.work = { kind: "problem", problem: asProblem(error) };
      this.opened = { kind: "none" };
    }
  }

  stop(): void {
    this.#running?.abort();
    this.#running = null;
    if (this.work.kind === "working") this.work = { kind: "idle" };
  }

  /** Runs the view's edits; without any, takes the comparison away. */
  async compare(): Promise<void> {
    const { edits } = page.view;
    const base = this.base;
    if (!base || this.offline) return;
    if (!anyEdit(edits)) {
      this.compared = { kind: "none" };
      page.go({ edited: false });
      return;
    }
    if (this.compared.kind !== "done") this.compared = { kind: "working" };
    try {
      const forced = await this.#trace({ ...this.#request(), target: base.meta.target.text, edits });
      const free = { ...edits, no_look_ahead: false };
      const translated = anyEdit(free) && !page.view.target ? await this.#trace({ ...this.#request(), edits: free }) : null;
      const written = translated && rounded(base) ? await this.#trace({ ...this.#request(), engine: "plain" }) : base;
      // A text can be cut into other tokens than those that the search wrote it with: only the same ones compare.
      const reference = sameTokens(base, forced) ? base : await this.#trace({ ...this.#request(), target: base.meta.target.text });
      if (edits === page.view.edits) this.compared = { kind: "done", comparison: { reference, translated, written, forced } };
    } catch (error) {
      if (edits === page.view.edits) this.compared = { kind: "problem", problem: asProblem(error) };
    }
  }

  /** The sentence batched with a longer one. */
  padded(companion: string): Promise<Trace> {
    const { target } = page.view;
    return this.#trace({ ...this.#request(), ...(target ? { target } : {}), companion });
  }

  /** The server has given up the trace: the address says all that is needed to make it again. */
  async renew(): Promise<void> {
    this.opened = { kind: "opening" };
    try {
      await this.#open(new AbortController().signal);
    } catch (error) {
      this.opened = { kind: "problem", problem: asProblem(error) };
    }
  }

  /** Renews what has been gone for a while, but not again and again what the server won't keep. */
  renewOnce(): void {
    const now = performance.now();
    if (now - this.#renewed < RENEWED_LATELY) return;
    this.#renewed = now;
    void this.renew();
  }

  async #search(signal: AbortSignal): Promise<void> {
    const steps: BeamStep[] = [];
    const watcher = {
      encoded: () => (this.work = { kind: "working", encoded: true, steps }),
      step: (step: BeamStep) => {
        steps.push(step);
        this.work = { kind: "working", encoded: true, steps: [...steps] };
      },
    };
    const { text, sentences } = await this.client.stream(this.#translateRequest(), watcher, signal);
    const characters = [...page.view.text];
    this.sentences = sentences.map(({ source: [start, end] }) => characters.slice(start, end).join(""));
    this.work = { kind: "done", text };
    await this.#open(signal);
    if (page.view.best > 1) {
      const request = { ...this.#translateRequest(), n_best: page.view.best, beam_size: Math.max(page.view.beam, page.view.best) };
      const found = (await this.client.translate(request, signal)).alternatives;
      this.alternatives = found.filter((one) => one.text !== text);
    }
  }

  async #open(signal: AbortSignal): Promise<void> {
    this.opened = { kind: "opening" };
    const { target } = page.view;
    try {
      const trace = await this.#trace(target ? { ...this.#request(), target } : this.#request(), signal);
      this.opened = { kind: "open", trace };
      this.work = { kind: "done", text: this.work.kind === "done" ? this.work.text : trace.meta.target.text };
    } catch (error) {
      if (signal.aborted) throw error;
      // The translation stands; what can't be opened is said where it would be shown.
      if (this.work.kind !== "done") throw error;
      this.opened = { kind: "problem", problem: asProblem(error) };
      return;
    }
    void this.compare();
  }

  /** The target language that the view names; else the first of several, as the choice of directions shows it. */
  get #language(): string {
    const targets = this.model?.targets ?? [];
    return page.view.language || (targets.length > 1 ? (targets[0] ?? "") : "");
  }

  #request(): TraceRequest {
    const [{ text, beam }, language] = [page.view, this.#language];
    return { ...this.#named(), text, beam_size: beam, ...(language ? { language } : {}) };
  }

  #translateRequest(): { model?: string; text: string; target?: string; beam_size: number } {
    const [{ text, beam }, language] = [page.view, this.#language];
    return { ...this.#named(), text, beam_size: beam, ...(language ? { target: language } : {}) };
  }

  #named(): { model?: string } {
    return this.model ? { model: this.model.id } : {};
  }

  async #trace(request: TraceRequest, signal?: AbortSignal): Promise<Trace> {
    const trace = new ServerTrace(this.client, await this.client.trace({ edits: NO_EDITS, ...request }, signal));
    return trace;
  }

  #forget(): void {
    this.alternatives = [];
    this.sentences = [];
    this.compared = { kind: "none" };
  }
}

/** Whether a search in few bits wrote it. */
export function rounded(trace: Trace): boolean {
  const { engine, dtype } = trace.meta;
  return engine !== null && engine.dtype !== dtype;
}

function sameTokens(one: Trace, other: Trace): boolean {
  const [left, right] = [one, other].map((trace) => trace.meta.target.tokens_out.map((token) => token.id).join(" "));
  return left === right;
}

export const session = new Session();
