import { expect, test } from "vitest";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { startReceiver } from "../../support/queues/start-receiver.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenDelivery, givenWebhook } from "../../support/webhooks/given-webhooks.ts";

const dashboard = await givenDashboard();
const { db, orgId, broker } = dashboard;
const cookie = await signIn(await dashboard.link());

/** Presses the button of a question; where it leads and what is said there. */
async function act(path: string, form: Record<string, string> = {}, as = cookie) {
  const answer = await fetch(broker.url + path, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { cookie: as, "sec-fetch-site": "same-origin" },
    redirect: "manual",
  });
  const to = answer.headers.get("location");
  if (to === null) return { status: answer.status, to, said: await answer.text() };
  const flash = answer.headers.getSetCookie().map((one) => one.split(";")[0] ?? "");
  const { text } = await dashboard.html(to, [as, ...flash].join("; "));
  return { status: answer.status, to, said: text };
}

test("a ping from its page says that it arrived, and what was answered when it did not", async () => {
  const receiver = await startReceiver({ "/hook": () => ({ status: 204 }) });
  const id = await givenWebhook(db, { orgId, url: `${receiver.url}/hook` });
  const arrived = await act(`/webhooks/${id}/ping`);
  expect([arrived.status, arrived.to]).toEqual([303, `/webhooks/${id}`]);
  expect(arrived.said).toContain("The ping arrived: 204");
  expect(receiver.received).toHaveLength(1);
  const nobody = await givenWebhook(db, { orgId });
  expect((await act(`/webhooks/${nobody}/ping`)).said).toContain("The ping failed");
});

test("what failed is sent again, one delivery or all of them", async () => {
  const { webhookId, deliveryId } = await givenDelivery(db, { orgId });
  const at = `/webhooks/${webhookId}`;
  const one = await act(`${at}/deliveries/${deliveryId}/resend`);
  expect(one).toMatchObject({ status: 303, to: `${at}/deliveries/${deliveryId}` });
  const state = async () =>
    (await db`select status, attempts from webhook_deliveries where id = ${deliveryId}`)[0];
  await expect.poll(state).toEqual({ status: "failed", attempts: 1 });
  expect((await act(`${at}/resend`)).said).toContain("1 delivery is sent again.");
  await expect.poll(state).toEqual({ status: "failed", attempts: 2 });
});

test("it is deleted when its host was typed, and not before", async () => {
  const id = await givenWebhook(db, { orgId, url: "http://example.com/a" });
  const wrong = await act(`/webhooks/${id}/delete`, { typed: "other" });
  expect([wrong.status, wrong.to]).toEqual([422, null]);
  expect(wrong.said).toContain("Nothing was done");
  const right = await act(`/webhooks/${id}/delete`, { typed: "example.com" });
  expect(right).toMatchObject({ status: 303, to: "/webhooks" });
  expect((await dashboard.html(`/webhooks/${id}`, cookie)).status).toBe(404);
});

test("another org finds none of it, a reader only reads, and a builder sees nothing", async () => {
  const { webhookId, deliveryId } = await givenDelivery(db, { orgId: await givenOrg(db) });
  for (const page of [`/webhooks/${webhookId}`, `/webhooks/${webhookId}/deliveries/${deliveryId}`])
    expect((await dashboard.html(page, cookie)).status).toBe(404);
  expect((await act(`/webhooks/${webhookId}/ping`)).status).toBe(404);
  const own = `/webhooks/${await givenWebhook(db, { orgId, url: "http://127.0.0.1:1/read" })}`;
  const reader = await signInAs("org_read_only");
  const shown = await dashboard.html(own, reader);
  expect([shown.status, shown.text.includes("/ping")]).toEqual([200, false]);
  expect((await act(`${own}/ping`, {}, reader)).status).toBe(403);
  expect((await dashboard.html(own, await signInAs("org_builder"))).status).toBe(403);
});

async function signInAs(role: "org_read_only" | "org_builder"): Promise<string> {
  return await signIn(await dashboard.link(await givenToken(db, { orgId, role })));
}
