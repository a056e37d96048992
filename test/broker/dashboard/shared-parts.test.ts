import { expect, test } from "vitest";
import { pages } from "../../../broker/dashboard/pages.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, call, createRunner } = dashboard;
const { id: runnerId } = await createRunner();

async function enqueue(): Promise<string> {
  const body = { type: "noop", operation: "exec", owner_id: "one", owner_type: "test" };
  return (await call<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, { body })).body.id;
}

/** What changes of a page, as an open page asks for it. */
async function part(path: string, cookie: string) {
  const headers = { cookie, "hx-request": "true" };
  const response = await fetch(broker.url + path, { headers });
  return { status: response.status, text: await response.text() };
}

/** How often the API was asked for this in all, by pages, too. */
async function asked(route: string): Promise<number> {
  const { body } = await broker.call<string>("GET /metrics");
  const start = `svc_http_requests_total{method="GET",route="${route}",status="200"} `;
  const line = body.split("\n").find((one) => one.startsWith(start));
  return Number(line?.slice(start.length) ?? 0);
}

const times = <T>(count: number, act: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, act));

test("many who have the same page open cost far fewer than one each, whoever they are, and all see what is new", async () => {
  const one = await signIn(await link());
  const other = await signIn(await link(await givenToken(db, { orgId })));
  const before = await asked("/v1/stats/overview");
  const jobId = await enqueue();
  const parts = (
    await Promise.all([one, other].map((cookie) => times(30, () => part("/", cookie))))
  ).flat();
  expect(parts.filter(({ text }) => text.includes(jobId))).toHaveLength(60);
  expect((await asked("/v1/stats/overview")) - before).toBeLessThan(30);
});

test("a page is shared neither with another org nor with whoever may see less", async () => {
  const [own, stranger, reader] = await Promise.all([
    link().then(signIn),
    givenToken(db, { orgId: await givenOrg(db) })
      .then(link)
      .then(signIn),
    givenToken(db, { orgId, role: "runner" }).then(link).then(signIn),
  ]);
  const jobId = await enqueue();
  const address = `/jobs/${jobId}`;
  const [ofOwn, ofStranger, ofReader] = await Promise.all(
    [own, stranger, reader].map((cookie) => times(5, () => part(address, cookie))),
  );
  expect(ofOwn?.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(ofOwn?.filter(({ text }) => text.includes(`${address}/cancel`))).toHaveLength(5);
  for (const { status, text } of ofStranger ?? []) {
    expect(status).toBe(404);
    expect(text).not.toContain("/cancel");
  }
  for (const { text } of ofReader ?? []) expect(text).not.toContain(`${address}/cancel`);
});

test("what is shared says nothing of who asked for it", async () => {
  const token = await givenToken(db, { orgId });
  const cookie = await signIn(await link(token));
  const { body } = await broker.call<{ id: string; hint: string }>("GET /v1/tokens/current", {
    token,
  });
  const [session] = await db<{ id: string }[]>`
    select id from dashboard_sessions where token_id = ${body.id} order by created_at desc limit 1`;
  const jobId = await enqueue();
  const shared = pages.filter(({ isShared }) => isShared === true).map(({ path }) => path);
  expect(shared).toContain("/jobs");
  for (const path of shared) {
    const address = path.replace("{job_id}", jobId).replace("{runner_id}", runnerId);
    const { status, text } = await part(address, cookie);
    expect({ address, status }).toEqual({ address, status: 200 });
    const named = [body.id, body.hint, session?.id ?? "none", cookie.split("=")[1] ?? "none"];
    expect(named.filter((one) => text.includes(one))).toEqual([]);
  }
});

test("what went wrong for one is told to that one alone", async () => {
  const cookie = await signIn(await link());
  const lost = await times(5, () => part("/jobs/job_00000000000000000000000000", cookie));
  expect(lost.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
});
