/** The server's HTTP API. Addresses are relative, so that the page works below any path. Every failure is a Problem. */

import { serverEvents } from "./events";
import { asProblem, Problem, problemFrom, problemOf } from "./problem";
import type { BeamStep, Done, ModelInfo, Token, TraceMeta, TraceRequest, Translation } from "./types";

export interface TranslateRequest {
  readonly model?: string;
  readonly text: string;
  readonly target?: string;
  readonly beam_size?: number;
  readonly n_best?: number;
}

export interface StreamWatcher {
  readonly encoded: () => void;
  readonly step: (step: BeamStep) => void;
}

/** Where the client has the server's key from. */
export interface Keys {
  /** Sent as a bearer token; empty for none. */
  readonly value: string;
  /** Another key to try in place of the one that was refused; null to give up. */
  ask(refused: string): Promise<string | null>;
  /** The server took this key. */
  settled(key: string): void;
  /** Nobody said whether the key is right. */
  unsettled(): void;
}

export class Client {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  async models(): Promise<readonly ModelInfo[]> {
    return (await this.#json<{ models: ModelInfo[] }>("api/models")).models;
  }

  async tokenize(model: string, text: string, signal: AbortSignal): Promise<readonly Token[]> {
    const body = { model, text, side: "source" };
    return (await this.#json<{ tokens: Token[] }>("api/tokenize", body, signal)).tokens;
  }

  async translate(request: TranslateRequest, signal: AbortSignal): Promise<Translation> {
    const answer = await this.#json<{ translations: Translation[] }>("api/translate", request, signal);
    const [first] = answer.translations;
    if (!first) throw new Problem("bad_request", "the server gave no translation");
    return first;
  }

  /** Translates while telling every step of the search; aborting the signal stops the server's work too. */
  async stream(request: TranslateRequest, watcher: StreamWatcher, signal: AbortSignal): Promise<Done> {
    const answer = await this.#answer("api/translate/stream", request, signal);
    if (!answer.body) throw new Problem("stream_cut");
    try {
      for await (const event of serverEvents(answer.body)) {
        const data: unknown = JSON.parse(event.data);
        if (event.name === "encoder") watcher.encoded();
        if (event.name === "step") watcher.step(data as BeamStep);
        if (event.name === "error") throw problemFrom(data, (data as { status?: number }).status ?? 500);
        if (event.name === "done") return data as Done;
      }
    } catch (error) {
      if (error instanceof Problem || signal.aborted) throw error;
      throw new Problem("stream_cut", error instanceof Error ? error.message : "");
    }
    throw new Problem("stream_cut");
  }

  trace(request: TraceRequest, signal?: AbortSignal): Promise<TraceMeta> {
    return this.#json<TraceMeta>("api/traces", request, signal);
  }

  read<T>(path: string): Promise<T> {
    return this.#json<T>(path);
  }

  async bytes(path: string): Promise<ArrayBuffer> {
    return (await this.#answer(path)).arrayBuffer();
  }

  async #json<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    return (await this.#answer(path, body, signal)).json() as Promise<T>;
  }

  /** Asks again with another key for as long as there is one to try. */
  async #answer(path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    for (let key: string | null = this.#keys.value; ; ) {
      const answer = await this.#fetch(path, key, body, signal);
      if (answer.status === 401) {
        key = await this.#keys.ask(key);
        if (key !== null) continue;
      } else this.#keys.settled(key);
      if (!answer.ok) throw await problemOf(answer);
      return answer;
    }
  }

  async #fetch(path: string, key: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {};
    const init: RequestInit = { headers };
    if (signal) init.signal = signal;
    if (body !== undefined) {
      init.method = "POST";
      init.body = JSON.stringify(body);
      headers["Content-Type"] = "application/json";
    }
    try {
      return await fetch(path, init);
    } catch (error) {
      this.#keys.unsettled();
      if (signal?.aborted) throw error;
      throw asProblem(error);
    }
  }
}
