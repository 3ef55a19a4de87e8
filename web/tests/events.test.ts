import { describe, expect, it } from "vitest";
import { serverEvents } from "../src/api/events";

function stream(...chunks: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
      controller.close();
    },
  });
}

async function all(source: ReadableStream<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const event of serverEvents(source)) found.push(`${event.name} ${event.data}`);
  return found;
}

describe("server-sent events", () => {
  it("come out whole however they were cut", async () => {
    expect(await all(stream("event: step\nda", "ta: {\"t\":0}\n", "\nevent: done\r\ndata: 1\r\n\r\n"))).toEqual(['step {"t":0}', "done 1"]);
  });

  it("keep letters that were cut between two chunks", async () => {
    const bytes = new TextEncoder().encode("data: 고양이\n\n");
    expect(await all(stream(bytes.slice(0, 8), bytes.slice(8)))).toEqual(["message 고양이"]);
  });

  it("leave comments out, join lines of data, and take a last one without an empty line", async () => {
    expect(await all(stream(": still here\n\ndata: a\ndata: b\n\nevent: done\ndata: c"))).toEqual(["message a\nb", "done c"]);
  });
});
