/** The server's key: asked for when a request is refused, kept for this tab alone. */

import type { Keys } from "../api/client";

const PLACE = "polyhead.key";
/** What a header can carry. */
const SENDABLE = /^[\x20-\x7e]+$/;

/** What the dialogue shows: whether the key before was wrong, and whether one is being tried. */
export interface Asked {
  readonly wrong: boolean;
  readonly trying: boolean;
}

export class Keyring implements Keys {
  /** Null while nobody asks. */
  asked: Asked | null = $state.raw(null);
  value: string;
  #answer: Promise<string | null> | null = null;
  #give: (key: string | null) => void = () => undefined;

  constructor() {
    this.value = remembered();
  }

  /** Requests that are refused together wait for one answer. */
  ask(refused: string): Promise<string | null> {
    if (this.value !== refused) return Promise.resolve(this.value);
    if (!this.#answer) {
      this.asked = { wrong: refused !== "", trying: false };
      this.#answer = new Promise((give) => (this.#give = give));
    }
    return this.#answer;
  }

  /** The person's answer: a key to try, or null to leave it. */
  answer(key: string | null): void {
    if (key !== null && !SENDABLE.test(key)) {
      this.asked = { wrong: true, trying: false };
      return;
    }
    this.value = key ?? "";
    this.asked = key === null ? null : { wrong: false, trying: true };
    this.#answer = null;
    this.#give(key);
  }

  settled(key: string): void {
    if (key !== this.value || !this.asked?.trying) return;
    this.asked = null;
    remember(key);
  }

  unsettled(): void {
    if (this.asked?.trying) this.asked = null;
  }
}

// A page inside a notebook's frame may be forbidden to keep anything.
function remembered(): string {
  try {
    return sessionStorage.getItem(PLACE) ?? "";
  } catch {
    return "";
  }
}

function remember(key: string): void {
  try {
    sessionStorage.setItem(PLACE, key);
  } catch {
    return;
  }
}

export const keyring = new Keyring();
