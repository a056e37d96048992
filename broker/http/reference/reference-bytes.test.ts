import { expect, test } from "vitest";
import { referenceBytes } from "./reference-bytes.ts";

test("the document and its page are made once, and sent as they are to whoever asks", () => {
  let made = 0;
  const bytes = referenceBytes(() => {
    made += 1;
    return { openapi: "3.1.0", info: { title: "ü", version: "1" }, paths: {} };
  });
  expect(made).toBe(0);
  expect(JSON.parse(Buffer.from(bytes.document()).toString())).toMatchObject({
    info: { title: "ü" },
  });
  expect(Buffer.from(bytes.page()).toString()).toContain("<title>ü API</title>");
  expect(bytes.document()).toBe(bytes.document());
  expect(bytes.page()).toBe(bytes.page());
  expect(made).toBe(1);
});
