import { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPages } from "../../../broker/dashboard/open-pages.ts";
import type { Page, View } from "../../../broker/dashboard/page.ts";
import type { AppEnv } from "../../../broker/http/app-env.ts";
import type { App } from "../../../broker/http/app-types.ts";
import { Problem } from "../../../shared/problem.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const dashboard = await givenDashboard("org_admin", {
  env: { SVC_RATE_TOKEN_PER_S: "1", SVC_RATE_ORG_PER_S: "0" },
});
const { db, orgId, link } = dashboard;
const { broker } = dashboard.broker;

/** A page whose making waits until it is let go; and whoever asks for what changes of it. */
function setup(render: (number: number, view: View) => Promise<string>) {
  const begun: (() => void)[] = [];
  const page: Page = {
    path: "/waited-for",
    permission: null,
    isShared: true,
    async render(view) {
      const number = begun.length + 1;
      await new Promise<void>((resolve) => void begun.push(resolve));
      return { title: "Waited for", main: html`<p>${await render(number, view)}</p>` };
    },
  };
  const app: App = Object.assign(new OpenAPIHono<AppEnv>(), { handle: () => undefined });
  openPages(app, broker, { pages: [page], actions: [] });
  const ask = async (cookie: string) => {
    const headers = { cookie, "user-agent": "node", "hx-request": "true" };
    const response = await app.request("/waited-for", { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const letGo = async (number: number): Promise<void> => {
    await expect.poll(() => begun.length).toBeGreaterThanOrEqual(number);
    begun[number - 1]?.();
  };
  return { begun, ask, letGo };
}

async function givenReader() {
  const token = await givenToken(db, { orgId });
  return { token, cookie: await signIn(await link(token)) };
}

/** Asks that have come as far as waiting: whoever is known is found without the database. */
async function waiting<T>(count: number, ask: () => Promise<T>): Promise<Promise<T>[]> {
  const find = vi.spyOn(broker.authenticator, "identifySession");
  const asked = Array.from({ length: count }, ask);
  await expect.poll(() => find.mock.calls.length).toBe(count);
  find.mockRestore();
  await new Promise<void>((resolve) => void setImmediate(resolve));
  return asked;
}

/** From now on no time passes for the buckets of rates. */
function stopFilling(): void {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
}

test("whoever is signed out while waiting for a part is sent to sign in", async () => {
  const { ask, letGo } = setup(async () => "what only the org may see");
  const [maker, leaver] = [await givenReader(), await givenReader()];
  const first = ask(maker.cookie);
  await letGo(1);
  expect((await first).text).toContain("what only the org may see");
  const shared = await waiting(2, () => ask(maker.cookie));
  const [left] = await waiting(1, () => ask(leaver.cookie));
  const current = await dashboard.broker.call<{ id: string }>("GET /v1/tokens/current", leaver);
  const revoked = await dashboard.call(`DELETE /v1/tokens/${current.body.id}`);
  expect(revoked.status).toBeLessThan(300);
  await letGo(2);
  for (const one of shared) expect((await one).text).toContain("what only the org may see");
  const answer = await left;
  expect(answer?.headers.get("hx-redirect")).toMatch(/^\/sign-in/);
  expect(answer?.text).not.toContain("what only the org may see");
});

test("a part that is shared counts as one request of each that it was not made for", async () => {
  const { ask, letGo } = setup(async () => "shared");
  const { cookie } = await givenReader();
  stopFilling();
  const first = ask(cookie);
  await letGo(1);
  await first;
  const others = await waiting(30, () => ask(cookie));
  await letGo(2);
  const answers = await Promise.all(others);
  const served = answers.filter(({ status }) => status === 200);
  expect(served.length).toBeLessThanOrEqual(11);
  const refused = answers.filter(({ status }) => status === 429);
  expect(served.length + refused.length).toBe(30);
  expect(refused[0]?.text).toContain("Rate limit exceeded");
});

test.each([
  [503, 1],
  [404, 1],
])("a part that fails for all with %i is made once for all", async (status, makings) => {
  const { ask, begun, letGo } = setup((number) =>
    number === 1
      ? Promise.resolve("well")
      : Promise.reject(new Problem({ status, code: "away", detail: "It is away." })),
  );
  const { cookie } = await givenReader();
  const first = ask(cookie);
  await letGo(1);
  await first;
  const others = await waiting(5, () => ask(cookie));
  await letGo(2);
  const answers = await Promise.all(others);
  expect(answers.map((answer) => answer.status)).toEqual(Array(5).fill(status));
  expect(begun).toHaveLength(1 + makings);
});

test("what failed for its maker is made once more for all others", async () => {
  const { ask, begun, letGo } = setup((number) =>
    number === 2 ? Promise.reject(new Error("it broke")) : Promise.resolve("well"),
  );
  const { cookie } = await givenReader();
  const first = ask(cookie);
  await letGo(1);
  await first;
  const others = await waiting(5, () => ask(cookie));
  await letGo(2);
  await letGo(3);
  const answers = await Promise.all(others);
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([200, 200, 200, 200, 500]);
  expect(begun).toHaveLength(3);
});

test("a part knows the time at which it is made, not that at which it was asked for", async () => {
  const { ask, letGo, begun } = setup(async (_, view) => `at ${view.nowMs}.`);
  const { cookie } = await givenReader();
  const first = ask(cookie);
  await expect.poll(() => begun.length).toBe(1);
  const [other] = await waiting(1, () => ask(cookie));
  const askedBeforeMs = broker.clock.now().getTime();
  await expect.poll(() => broker.clock.now().getTime()).toBeGreaterThan(askedBeforeMs);
  await letGo(1);
  await first;
  await letGo(2);
  const [, at] = /at (\d+)\./.exec((await other)?.text ?? "") ?? [];
  expect(Number(at)).toBeGreaterThan(askedBeforeMs);
});
