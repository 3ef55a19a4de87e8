/** Sentences to begin with, from English. */
export const EXAMPLES = [
  "The animal didn't cross the street because it was too tired",
  "I like cats more than dogs",
  "I am a student",
] as const;
