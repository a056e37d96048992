import { describe, expect, test } from "vitest";
import { openPage } from "../../support/browser/browser.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJobs, givenOrg, givenRunner } from "../../support/rows/given.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, html } = dashboard;
const cookie = await signIn(await link());

const post = async (path: string, form: Record<string, string>, as = cookie) =>
  await fetch(broker.url + path, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { "user-agent": "node", "sec-fetch-site": "same-origin", cookie: as },
    redirect: "manual",
  });

/** Jobs that wait for a runner of their own, in the dashboard's org unless told. */
async function givenWaiting(count: number, org = orgId) {
  const runner = await givenRunner(db, { orgId: org });
  await givenJobs(
    db,
    runner,
    Array.from({ length: count }, () => ({})),
  );
  const statuses = async () => {
    const rows = await db<{ status: string }[]>`
      select coalesce(l.status, d.status) as status from runner_jobs j
        left join runner_job_live l on l.id = j.id left join runner_job_ends d on d.runner_job_id = j.id
       where j.runner_id = ${runner.runnerId} order by j.id`;
    return rows.map(({ status }) => status);
  };
  return { ...runner, statuses };
}

describeWithTools(["chromium"], "the list of jobs", () => {
  test("cancels all that match once the word was typed, and runs them again", async () => {
    const { runnerId, statuses } = await givenWaiting(3);
    const other = await givenWaiting(1);
    const { page, complaints } = await openPage(await link());
    await page.goto(`${broker.url}/jobs?runner_id=${runnerId}&status=waiting`);
    await page.getByRole("link", { name: "Cancel all that match…" }).click();
    await page.getByRole("heading", { name: "Cancel 3 jobs?" }).waitFor();
    expect(await page.innerText("main")).toContain(runnerId);
    await page.getByLabel("Type cancel to confirm").fill("cancel");
    await page.getByRole("button", { name: "Cancel 3 jobs" }).click();
    await page.getByText("Cancelled 3 jobs.").waitFor();
    expect(await statuses()).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(await other.statuses()).toEqual(["queued"]);

    await page.getByRole("link", { name: "Show cancelled jobs" }).click();
    await page.getByRole("link", { name: "Run all that match again…" }).click();
    await page.getByRole("button", { name: "Run 3 jobs again" }).click();
    await page.getByText("Enqueued 3 jobs again.").waitFor();
    expect((await statuses()).slice(3)).toEqual(["queued", "queued", "queued"]);
    expect(complaints).toEqual([]);
  });
});

describe("all jobs that match", () => {
  test("are cancelled only with the word, and never without a filter", async () => {
    const { runnerId, statuses } = await givenWaiting(1);
    const at = "/jobs/matching/cancel";
    expect((await post(`${at}?runner_id=${runnerId}`, { typed: "yes" })).status).toBe(422);
    expect((await post(at, { typed: "cancel" })).status).toBe(409);
    expect(await statuses()).toEqual(["queued"]);
    const refused = await html(at, cookie);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('href="/jobs">Back');
    expect((await html("/jobs", cookie)).text).not.toContain("Cancel all that match");
  });

  test("are those that were counted: what is enqueued after the question stays", async () => {
    const { runnerId, statuses } = await givenWaiting(2);
    const at = `/jobs/matching/cancel?runner_id=${runnerId}`;
    const { text } = await html(at, cookie);
    const counted_at = /name="counted_at" value="([^"]+)"/.exec(text)?.[1] ?? "";
    await db`
      update runner_jobs set created_at = created_at + interval '1 min'
       where id = (select max(id) from runner_jobs where runner_id = ${runnerId})`;
    await db`
      update runner_job_live set created_at = created_at + interval '1 min'
       where id = (select max(id) from runner_jobs where runner_id = ${runnerId})`;
    expect((await post(at, { typed: "cancel", counted_at })).status).toBe(303);
    expect(await statuses()).toEqual(["cancelled", "queued"]);
    const early = `${at}&created_before=2026-01-01T00:00:00Z`;
    expect((await post(early, { typed: "cancel", counted_at })).status).toBe(303);
    expect(await statuses()).toEqual(["cancelled", "queued"]);
  });

  test("are run again once for a key, however often the button is pressed", async () => {
    const { runnerId, statuses } = await givenWaiting(2);
    await post(`/jobs/matching/cancel?runner_id=${runnerId}`, { typed: "cancel" });
    const at = `/jobs/matching/rerun?runner_id=${runnerId}`;
    const key = /name="key" value="([\w-]+)"/.exec((await html(at, cookie)).text)?.[1] ?? "";
    await Promise.all([post(at, { key }), post(at, { key })]);
    expect(await statuses()).toEqual(["cancelled", "cancelled", "queued", "queued"]);
  });

  test("are not those of another org, nor for whoever may only read", async () => {
    const stranger = await givenWaiting(1, await givenOrg(db));
    const at = `/jobs/matching/cancel?runner_id=${stranger.runnerId}`;
    expect((await post(at, { typed: "cancel" })).status).toBe(303); // it matched nothing
    expect(await stranger.statuses()).toEqual(["queued"]);
    const reader = await signIn(await link(await givenToken(db, { orgId, role: "org_read_only" })));
    expect((await post(at, { typed: "cancel" }, reader)).status).toBe(403);
    const { text } = await html("/jobs?status=waiting", reader);
    expect(text).not.toContain("/jobs/matching");
  });
});
