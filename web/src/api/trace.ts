/** A trace to look into, wherever it lies: on a server, fetched piece by piece, or inside this very file. */

import type { Client } from "./client";
import { part, readNpy, readNpyBase64, type Tensor } from "./npy";
import { Problem } from "./problem";
import type { HeadScores, Probabilities, SiteName, TraceMeta } from "./types";

export interface Trace {
  readonly meta: TraceMeta;
  /** One tensor; of a tensor with layers one layer, of one with heads one head. */
  tensor(name: string, layer?: number, head?: number): Promise<Tensor>;
  /** [layers, heads, rows, columns]: weights of a site from 0 to 255, at most 64 × 64, pooled by their maximum. */
  overview(site: SiteName): Promise<Tensor>;
  heads(): Promise<readonly HeadScores[]>;
  probabilities(t: number): Promise<Probabilities>;
  /** The address of a file that the server makes, or null where there is no server. */
  address(file: string): string | null;
}

/** How many candidates of a position are asked for. */
const CANDIDATES = 20;

export class ServerTrace implements Trace {
  readonly #client: Client;
  readonly #cache = new Map<string, Promise<unknown>>();

  constructor(
    client: Client,
    readonly meta: TraceMeta,
  ) {
    this.#client = client;
  }

  tensor(name: string, layer?: number, head?: number): Promise<Tensor> {
    const query = new URLSearchParams({ dtype: "float32" });
    if (layer !== undefined) query.set("layer", String(layer));
    if (head !== undefined) query.set("head", String(head));
    return this.#npy(`tensors/${name}?${query}`);
  }

  overview(site: SiteName): Promise<Tensor> {
    return this.#npy(`overview/${site}`);
  }

  async heads(): Promise<readonly HeadScores[]> {
    const path = this.#path("heads");
    return (await this.#once(path, () => this.#client.read<{ heads: HeadScores[] }>(path))).heads;
  }

  probabilities(t: number): Promise<Probabilities> {
    const path = this.#path(`probabilities?t=${t}&k=${CANDIDATES}`);
    return this.#once(path, () => this.#client.read<Probabilities>(path));
  }

  address(file: string): string {
    return this.#path(file);
  }

  #path(rest: string): string {
    return `api/traces/${encodeURIComponent(this.meta.id)}/${rest}`;
  }

  #npy(rest: string): Promise<Tensor> {
    const path = this.#path(rest);
    return this.#once(path, async () => readNpy(await this.#client.bytes(path)));
  }

  /** Each address is fetched once; one that failed may be tried again. */
  #once<T>(key: string, fetch: () => Promise<T>): Promise<T> {
    const known = this.#cache.get(key) as Promise<T> | undefined;
    if (known) return known;
    const fresh = fetch();
    this.#cache.set(key, fresh);
    fresh.catch(() => this.#cache.delete(key));
    return fresh;
  }
}

/** What `<script id="polyhead-trace">` holds: tensors as "name@layer", or "name@" of those without layers, `.npy` in base64. */
export interface EmbeddedTrace {
  readonly meta: TraceMeta;
  readonly tensors: Readonly<Record<string, string>>;
  readonly overviews: Readonly<Record<string, string>>;
  readonly heads: readonly HeadScores[];
  readonly probabilities: readonly Probabilities[];
}

export class FileTrace implements Trace {
  readonly meta: TraceMeta;
  readonly #file: EmbeddedTrace;
  readonly #read = new Map<string, Tensor>();

  constructor(file: EmbeddedTrace) {
    this.#file = file;
    this.meta = file.meta;
  }

  async tensor(name: string, layer?: number, head?: number): Promise<Tensor> {
    const key = `${name}@${layer ?? ""}`;
    const whole = this.#npy(key, this.#file.tensors[key]);
    return head === undefined ? whole : part(whole, head);
  }

  async overview(site: SiteName): Promise<Tensor> {
    return this.#npy(`overview ${site}`, this.#file.overviews[site]);
  }

  async heads(): Promise<readonly HeadScores[]> {
    return this.#file.heads;
  }

  async probabilities(t: number): Promise<Probabilities> {
    const found = this.#file.probabilities[t];
    if (!found) throw new Problem("not_found", `position ${t}`);
    return found;
  }

  address(): null {
    return null;
  }

  #npy(key: string, text: string | undefined): Tensor {
    if (text === undefined) throw new Problem("not_found", key);
    const known = this.#read.get(key) ?? readNpyBase64(text);
    this.#read.set(key, known);
    return known;
  }
}

/** The trace that this file carries, if it carries one. */
export function embeddedTrace(page: Document): FileTrace | null {
  const text = page.getElementById("polyhead-trace")?.textContent;
  return text ? new FileTrace(JSON.parse(text) as EmbeddedTrace) : null;
}
