import { describe, expect, it } from "vitest";
import type { ModelInfo } from "../src/api/types";
import { BOX_WIDTH, figure } from "../src/state/figure";

const MODEL: ModelInfo = {
  id: "m", kind: "transformer", source: "en", targets: ["fr"], tagged: false, encoder_layers: 6, decoder_layers: 2, heads: 8,
  d_model: 512, d_ff: 2048, vocabulary: { source: 100, target: 100 }, max_length: 1024, longest_source: 50, norm: "post",
  positions: "sinusoidal", activation: "relu", tie_embeddings: "all", parameters: 1000, has_attention: true, loaded: true,
};

describe("figure 1", () => {
  it("has this model's parts and sizes, none on top of another and all inside", () => {
    const { boxes, frames, width, height } = figure(MODEL);
    expect(boxes).toHaveLength(16);
    expect(boxes.find((box) => box.place === "encoder.self")?.note).toBe("8 × 64");
    expect(frames.map((frame) => frame.layers)).toEqual([6, 2]);
    for (const a of boxes) {
      expect(a.y).toBeGreaterThanOrEqual(0);
      expect(a.y + a.height).toBeLessThanOrEqual(height);
      expect(a.x + BOX_WIDTH).toBeLessThanOrEqual(width);
      for (const b of boxes) {
        if (a !== b && a.x === b.x) expect(a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(true);
      }
    }
  });

  it("puts the norm before its sub-layer in a pre-norm model", () => {
    const order = (norm: "post" | "pre"): string[] => figure({ ...MODEL, norm }).boxes.map((box) => box.place);
    expect(order("post").indexOf("encoder.self")).toBeLessThan(order("post").indexOf("encoder.self.norm"));
    expect(order("pre").indexOf("encoder.self.norm")).toBeLessThan(order("pre").indexOf("encoder.self"));
  });

  it("leaves out what an ancestor lacks", () => {
    const rnn = { ...MODEL, kind: "rnn" as const, heads: null, norm: null, has_attention: false };
    expect(figure(rnn).boxes.map((box) => box.place)).toEqual(["source.tokens", "target.tokens", "output", "beam"]);
    const attentive = { ...rnn, kind: "rnn-attention" as const, has_attention: true };
    expect(figure(attentive).boxes.map((box) => box.place)).toContain("decoder.cross");
  });
});
