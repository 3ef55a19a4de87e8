import { afterEach, expect, it, vi } from "vitest";
import { Client, type Keys } from "../src/api/client";
import { Keyring } from "../src/state/keyring.svelte";

/** A server that takes one key; what it was sent is noted. */
function server(right: string): (string | undefined)[] {
  const sent: (string | undefined)[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    const given = (init.headers as Record<string, string>)["Authorization"];
    sent.push(given);
    const known = given === `Bearer ${right}`;
    return new Response(JSON.stringify(known ? { models: [] } : { code: "unauthorized" }), { status: known ? 200 : 401 });
  });
  return sent;
}

function keys(...answers: (string | null)[]): Keys & { settledWith: string[]; refused: string[] } {
  const settledWith: string[] = [];
  const refused: string[] = [];
  return {
    value: "", settledWith, refused,
    ask: async (key) => (refused.push(key), answers.shift() ?? null),
    settled: (key) => void settledWith.push(key),
    unsettled: () => undefined,
  };
}

afterEach(() => vi.unstubAllGlobals());

it("asks for a key until one is right, and sends it as the interface wants it", async () => {
  const sent = server("right");
  const asked = keys("wrong", "right");
  expect(await new Client(asked).models()).toEqual([]);
  expect(sent).toEqual([undefined, "Bearer wrong", "Bearer right"]);
  expect(asked.refused).toEqual(["", "wrong"]);
  expect(asked.settledWith).toEqual(["right"]);
});

it("tells the problem where nobody gives a key", async () => {
  server("right");
  await expect(new Client(keys(null)).models()).rejects.toMatchObject({ code: "unauthorized" });
});

it("asks once for requests that are refused together, and says that a key was wrong", async () => {
  const sent = server("right");
  const ring = new Keyring();
  const client = new Client(ring);
  const both = Promise.all([client.models(), client.models()]);
  await vi.waitFor(() => expect(ring.asked).toEqual({ wrong: false, trying: false }));
  ring.answer("wrong");
  await vi.waitFor(() => expect(ring.asked).toEqual({ wrong: true, trying: false }));
  ring.answer("right");
  expect(await both).toEqual([[], []]);
  expect(ring.asked).toBeNull();
  expect(ring.value).toBe("right");
  await client.models();
  expect(sent.at(-1)).toBe("Bearer right");
});

it("doesn't send what no header can carry", async () => {
  const sent = server("right");
  const ring = new Keyring();
  const answer = new Client(ring).models();
  await vi.waitFor(() => expect(ring.asked).not.toBeNull());
  ring.answer("열쇠");
  expect(ring.asked).toEqual({ wrong: true, trying: false });
  expect(sent.length).toBe(1);
  ring.answer(null);
  await expect(answer).rejects.toMatchObject({ code: "unauthorized" });
});
