import { expect, test } from "vitest";
import { exportAuditEventsRoute } from "./audit.ts";
import { BrokerUnreachable } from "./broker-errors.ts";
import { callRoute, openLines } from "./call-route.ts";
import { getOwnTokenRoute } from "./tokens.ts";
import { deleteWebhookRoute } from "./webhooks.ts";

type Reply = () => Response;
const lost: Reply = () => {
  throw new TypeError("fetch failed", { cause: { code: "UND_ERR_SOCKET" } });
};
const refusal =
  (status: number, code: string): Reply =>
  () =>
    Response.json(
      { status, code, detail: `It is ${code}.` },
      { status, headers: { "retry-after": "5" } },
    );

/** A broker that answers so, one after the other. */
function setup(...replies: readonly Reply[]) {
  let asked = 0;
  const fetch = async () => await Promise.resolve().then(() => (replies[asked++] ?? lost)());
  return { endpoint: { url: "http://svc", fetch }, asked: () => asked };
}

test("what does not pass soon is told at once", async () => {
  for (const code of ["queue_full", "limit_reached", "seal_key_missing"]) {
    const { endpoint, asked } = setup(refusal(429, code));
    await expect(callRoute(endpoint, getOwnTokenRoute, {})).rejects.toMatchObject({ code });
    expect(asked()).toBe(1);
  }
});

test("what is gone when its DELETE is made again is deleted", async () => {
  const { endpoint } = setup(lost, refusal(404, "webhook_not_found"));
  const params = { webhook_id: "whk_1" };
  expect((await callRoute(endpoint, deleteWebhookRoute, { params })).status).toBe(204);
});

test("lines that break off are those of a broker that is away", async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (out) => out.error(new TypeError("terminated")),
  });
  const { endpoint } = setup(() => new Response(broken));
  const lines = await openLines(endpoint, exportAuditEventsRoute, {}, new AbortController().signal);
  await expect(lines.next()).rejects.toBeInstanceOf(BrokerUnreachable);
});
