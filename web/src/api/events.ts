/** Server-sent events read from a POST, which the browser's EventSource can't do. */

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

function parse(block: string): ServerEvent | null {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? { name, data: data.join("\n") } : null;
}

/** The events of a stream in order, as they arrive; comments and keep-alives are left out. */
export async function* serverEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest = (rest + decoder.decode(value, { stream: !done })).replaceAll("\r\n", "\n");
      const blocks = rest.split("\n\n");
      rest = done ? "" : (blocks.pop() ?? "");
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
      if (done) return;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
