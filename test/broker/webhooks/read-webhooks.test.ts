import { expect, test } from "vitest";
import type { Webhook } from "../../../shared/api/webhook.ts";
import { dumpOf, planted } from "../../support/broker/planted-secrets.ts";
import {
  givenWebhooksApi,
  type Refused,
  webhooksPath as path,
} from "../../support/webhooks/webhooks-api.ts";

const { db, call, broker, setup } = await givenWebhooksApi();
const receiver = "https://example.com/hooks";

test("no secret is shown, logged or readable in the database", async () => {
  const { create, patch, token, orgId } = await setup();
  const made = await create({ url: receiver, secret: planted });
  const changed = await patch(made.body.id, { webhook_secret: `${planted}-2` });
  const list = await call(`GET ${path}`, { token });
  await broker.audit.flush();
  for (const { body } of [made, changed, list])
    expect(JSON.stringify(body)).not.toContain("hunter2");
  expect(await dumpOf({ db })).not.toContain(planted);
  const rows = await db<{ action: string; target_type: string }[]>`
    select action, target_type from audit_events where org_id = ${orgId} order by at`;
  expect(rows).toEqual([
    { action: "createWebhook", target_type: "webhook" },
    { action: "updateWebhook", target_type: "webhook" },
  ]);
});

test("webhooks are listed newest first: an array by limit and offset, or pages", async () => {
  const { create, token } = await setup();
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.unshift((await create({ url: `${receiver}/${n}` })).body.id);
  const first = await call<Webhook[]>(`GET ${path}?limit=2&offset=1`, { token });
  expect(first.body.map(({ id }) => id)).toEqual(ids.slice(1, 3));
  expect(first.headers.get("x-svc-page-next")).toBe("true");
  expect(first.headers.get("x-svc-page-offset")).toBe("1");
  const whole = await call<Webhook[]>(`GET ${path}`, { token });
  expect(whole.body.map(({ id }) => id)).toEqual(ids);
  expect(whole.headers.get("x-svc-page-next")).toBe("false");
  const listed: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { body: { items: Webhook[]; next_cursor: string | null } } = await call(
      `GET ${path}?limit=2&cursor=${cursor}`,
      { token },
    );
    listed.push(...page.body.items.map(({ id }) => id));
    cursor = page.body.next_cursor;
  }
  expect(listed).toEqual(ids);
});

test("a deleted webhook is gone, and its URL is free", async () => {
  const { create, patch, token } = await setup();
  const { id } = (await create({ url: receiver, secret: planted })).body;
  expect((await call(`DELETE ${path}/${id}`, { token })).status).toBe(204);
  for (const what of [`GET ${path}/${id}`, `DELETE ${path}/${id}`, `POST ${path}/${id}/ping`]) {
    expect((await call(what, { token })).status).toBe(404);
  }
  expect((await patch(id, {})).status).toBe(404);
  expect((await create({ url: receiver })).status).toBe(201);
  const [row] = await db`select secret, key_id from webhooks where id = ${id}`;
  expect(row).toEqual({ secret: null, key_id: null });
});

test("another org sees and changes nothing", async () => {
  const mine = await setup();
  const { id } = (await mine.create({ url: receiver })).body;
  const { token } = await setup();
  expect((await call(`GET ${path}`, { token })).body).toEqual([]);
  for (const what of ["GET", "PATCH", "DELETE"]) {
    const answer = await call<Refused>(`${what} ${path}/${id}`, {
      token,
      ...(what === "PATCH" && { body: { match: { installs: {} } } }),
    });
    expect(answer).toMatchObject({ status: 404, body: { code: "webhook_not_found" } });
  }
  expect((await call(`POST ${path}/${id}/ping`, { token })).status).toBe(404);
  const { body } = await call(`GET ${path}/${id}`, { token: mine.token });
  expect(body).toMatchObject({ match: null });
});

test("support reads webhooks and changes none", async () => {
  const { token } = await setup("org_support");
  expect((await call(`GET ${path}`, { token })).status).toBe(200);
  expect((await call(`POST ${path}`, { token, body: { url: receiver } })).status).toBe(403);
});

test("a webhook is changed by who has seen how it is, if they say so", async () => {
  const { create, token } = await setup();
  const made = await create({ url: receiver });
  const at = `${path}/${made.body.id}`;
  expect(made.headers.get("etag")).toBe(`"1"`);
  const patch = (body: object, etag: string) =>
    call<Refused>(`PATCH ${at}`, { token, body, headers: { "if-match": etag } });
  const match = { installs: {} };
  expect((await patch({ match }, `"1"`)).headers.get("etag")).toBe(`"2"`);
  expect(await patch({ match: null }, `"1"`)).toMatchObject({
    status: 412,
    body: { code: "precondition_failed" },
  });
  const read = await call<Webhook>(`GET ${at}`, { token });
  expect([read.headers.get("etag"), read.body.match]).toEqual([`"2"`, match]);
  expect((await patch({ match }, `"2"`)).headers.get("etag")).toBe(`"2"`);
  expect((await patch({ match: null }, "*")).headers.get("etag")).toBe(`"3"`);
});

test("a change to another webhook's match names that one", async () => {
  const { create, patch } = await setup();
  const { id } = (await create({ url: receiver })).body;
  const other = await create({ url: receiver, match: { installs: {} } });
  const webhook_exists = { status: 409, body: { code: "webhook_exists", webhook_id: id } };
  expect(await patch(other.body.id, { match: null })).toMatchObject(webhook_exists);
});
