import { expect, test } from "vitest";
import { JsonPlaceholders } from "./json-placeholders.ts";

/** As it is read: in pieces of three bytes, which cut characters in two. */
function inPieces(text: string) {
  const bytes = Buffer.from(text);
  return {
    sizeBytes: bytes.length,
    async *pieces() {
      for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
    },
  };
}

const text = 'said "ä", then \\ and € and 𝄞\n';
const members = { contents: text, n: [1, null], last: "}" };

test("a value with holes is sent as the JSON that it would be with what fills them", async () => {
  const placeholders = new JsonPlaceholders();
  const json = inPieces(JSON.stringify(members));
  const value = {
    id: "x",
    ...placeholders.members(json),
    outputs: placeholders.json(json),
    outputs_json: placeholders.base64(json),
    deep: [{ plan: placeholders.text(inPieces(text)) }],
  };
  const sent = await whole(placeholders.filled(value));
  expect(JSON.parse(sent)).toEqual({
    id: "x",
    ...members,
    outputs: members,
    outputs_json: Buffer.from(JSON.stringify(members)).toString("base64"),
    deep: [{ plan: text }],
  });
});

test("how long it will be is known before, where each part's length is", async () => {
  const placeholders = new JsonPlaceholders();
  const json = inPieces(JSON.stringify(members));
  const value = {
    ...placeholders.members(json),
    a: placeholders.json(json),
    b: placeholders.base64(json),
    c: "ä",
  };
  const filled = placeholders.filled(value);
  expect(filled.sizeBytes).toBe(Buffer.byteLength(await whole(filled)));
  expect(placeholders.filled({ ...value, d: placeholders.text(json) }).sizeBytes).toBeUndefined();
});

async function whole({ pieces }: { pieces: () => AsyncGenerator<Buffer> }): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces()) all.push(piece);
  return Buffer.concat(all).toString("utf8");
}
