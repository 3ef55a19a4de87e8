/** What the server and a trace file say, as JSON. All indexes count from 0; characters are Unicode code points. */

export interface ModelInfo {
  readonly id: string;
  readonly kind: "transformer" | "rnn" | "rnn-attention";
  readonly source: string | null;
  readonly targets: readonly string[];
  readonly tagged: boolean;
  readonly encoder_layers: number | null;
  readonly decoder_layers: number | null;
  readonly heads: number | null;
  readonly d_model: number | null;
  readonly d_ff: number | null;
  readonly vocabulary: { readonly source: number; readonly target: number };
  readonly max_length: number | null;
  readonly longest_source: number | null;
  readonly norm: "post" | "pre" | null;
  readonly positions: string | null;
  readonly activation: string | null;
  readonly tie_embeddings: string | null;
  readonly parameters: number | null;
  readonly has_attention: boolean;
  readonly loaded: boolean;
}

/** A piece of the vocabulary in a text; start and end are null where it stands for no text (`<sos>`, `<eos>`, a tag). */
export interface Token {
  readonly id: number;
  readonly piece: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly unknown: boolean;
}

export const SITES = ["encoder.self", "decoder.self", "decoder.cross"] as const;
export type SiteName = (typeof SITES)[number];

export interface Site {
  readonly name: SiteName;
  readonly layers: number;
  readonly heads: number;
  readonly rows: number;
  readonly columns: number;
  /** What the scores are divided by: √d_k, or 1. */
  readonly scale: number;
}

export interface TensorEntry {
  readonly name: string;
  readonly layers: number | null;
  readonly heads: number | null;
  readonly shape: readonly number[];
  readonly axes: readonly string[];
  readonly min: number | null;
  readonly max: number | null;
}

export interface MutedHead {
  readonly site: SiteName;
  readonly layer: number;
  readonly head: number;
}

export interface Edits {
  readonly mute: readonly MutedHead[];
  readonly no_scale: boolean;
  readonly no_positions: boolean;
  readonly no_look_ahead: boolean;
}

export interface BeamNode {
  readonly id: number;
  readonly parent: number | null;
  readonly token: { readonly id: number; readonly piece: string };
  readonly logp: number;
  readonly cumulative: number;
  readonly normalised: number | null;
  readonly state: "live" | "pruned" | "finished";
}

export interface BeamStep {
  /** Which sentence of the text, in a stream. */
  readonly sentence?: number;
  readonly t: number;
  readonly candidates: readonly BeamNode[];
}

export interface BeamHistory {
  readonly beam_size: number;
  /** α of Wu et al. 2016, or the length itself. */
  readonly length_penalty: number | "average";
  readonly steps: readonly BeamStep[];
}

export interface TraceMeta {
  readonly id: string;
  readonly expires_in: number | null;
  readonly model: ModelInfo;
  readonly language: string | null;
  readonly source: { readonly text: string; readonly tokens: readonly Token[] };
  readonly target: {
    readonly text: string;
    readonly tokens_in: readonly Token[];
    readonly tokens_out: readonly Token[];
    readonly given: boolean;
    readonly log_probabilities: readonly number[];
    readonly entropy: readonly number[];
    readonly ranks: readonly number[];
  };
  readonly source_padding: number;
  readonly sites: readonly Site[];
  readonly tensors: readonly TensorEntry[];
  readonly beam: BeamHistory | null;
  /** What translated; null where the translation was given. */
  readonly engine: { readonly engine: "plain" | "prepared"; readonly dtype: "float32" | "int8" } | null;
  /** In which precision all but the search was computed. */
  readonly dtype: "float32";
  readonly edits: Edits;
  readonly score: number | null;
}

export const HEAD_CRITERIA = ["diagonal", "previous", "next", "eos", "alignment", "entropy"] as const;
export type HeadCriterion = (typeof HEAD_CRITERIA)[number];

export interface HeadScores {
  readonly site: SiteName;
  readonly layer: number;
  readonly head: number;
  readonly scores: Readonly<Record<HeadCriterion, number | null>>;
  readonly label: HeadCriterion | null;
}

export interface Candidate {
  readonly id: number;
  readonly piece: string;
  readonly probability: number;
  readonly logp: number;
  /** 0 is the likeliest. */
  readonly rank: number;
}

export interface Probabilities {
  readonly t: number;
  readonly entropy: number;
  readonly rest: number;
  readonly candidates: readonly Candidate[];
  readonly given: { readonly id: number; readonly piece: string; readonly probability: number; readonly rank: number };
}

export interface ScoredText {
  readonly text: string;
  readonly score: number;
  readonly log_probability: number;
  readonly tokens: readonly { readonly piece: string; readonly logp: number }[];
}

/** What went through the model as one sentence: [start, end) in the text and in its translation, in code points. */
export interface SentenceSpan {
  readonly source: readonly [number, number];
  readonly target: readonly [number, number];
}

/** What a stream ends in. */
export interface Done {
  readonly text: string;
  readonly sentences: readonly SentenceSpan[];
}

export interface Translation extends ScoredText {
  readonly alternatives: readonly ScoredText[];
}

/** What POST /api/traces takes. */
export interface TraceRequest {
  readonly model?: string;
  readonly text: string;
  readonly target?: string;
  readonly language?: string;
  readonly beam_size?: number;
  readonly companion?: string;
  /** The model as it was trained, in place of the server's engine. */
  readonly engine?: "plain";
  readonly edits?: Edits;
}

export const NO_EDITS: Edits = { mute: [], no_scale: false, no_positions: false, no_look_ahead: false };
