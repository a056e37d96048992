import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listenByBrands } from "../../../broker/http/gate/listen-by-brands.ts";

/** What a listener behind the brands reads of a request with these headers. */
async function seen(sent: Readonly<Record<string, string>>) {
  const read = ({ headers, headersDistinct, rawHeaders }: IncomingMessage) => ({
    headers,
    headersDistinct,
    rawHeaders,
  });
  const listener = listenByBrands(
    (incoming, outgoing) => outgoing.end(JSON.stringify(read(incoming))),
    ["acme", "beta"],
  );
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`, { headers: sent });
  return (await answer.json()) as ReturnType<typeof read>;
}

test("a header has its own name wherever it is read", async () => {
  const { headers, headersDistinct, rawHeaders } = await seen({ "X-Acme-Org-ID": "o" });
  expect(headers).toMatchObject({ "x-svc-org-id": "o" });
  expect(headers).not.toHaveProperty("x-acme-org-id");
  expect(headersDistinct).toMatchObject({ "x-svc-org-id": ["o"] });
  expect(rawHeaders.at(rawHeaders.indexOf("x-svc-org-id") + 1)).toBe("o");
});

test("one that comes by several names is there once, and no header is lost", async () => {
  const sent = { "x-acme-org-id": "o", "x-svc-org-id": "o", "x-beta-org-id": "o", "x-last": "l" };
  const { headers, headersDistinct, rawHeaders } = await seen(sent);
  expect(headers).toMatchObject({ "x-svc-org-id": "o", "x-last": "l" });
  expect(headersDistinct).toMatchObject({ "x-svc-org-id": ["o"], "x-last": ["l"] });
  expect(rawHeaders.filter((name) => name === "x-svc-org-id")).toHaveLength(1);
});
