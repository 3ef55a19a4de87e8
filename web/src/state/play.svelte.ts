/** Playing: the step goes on by itself until the sentence ends. */

import { stepShown } from "./keys";
import { page } from "./page.svelte";
import { session } from "./session.svelte";

const PACE = 750; // milliseconds a step

/** Call once while a component is set up. */
export function play(): void {
  $effect(() => {
    if (!page.playing) return;
    const timer = setInterval(() => {
      const last = (session.trace?.meta.target.tokens_out.length ?? 1) - 1;
      if (stepShown() >= last) page.playing = false;
      else page.go({ step: stepShown() + 1 });
    }, PACE);
    return () => clearInterval(timer);
  });
}
