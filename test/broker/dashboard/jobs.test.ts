import { describe, expect, test } from "vitest";
import { openPage } from "../../support/browser/browser.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenRun } from "../../support/browser/given-job-views.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenOrg, givenRunner } from "../../support/rows/given.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, html } = dashboard;
const cookie = await signIn(await link());

const post = async (path: string, form: Record<string, string> = {}, as = cookie) =>
  await fetch(broker.url + path, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { "user-agent": "node", "sec-fetch-site": "same-origin", cookie: as },
    redirect: "manual",
  });
const statusOf = async (id: string) =>
  (await dashboard.call<{ status: string }>(`GET /v1/runner-jobs/${id}`)).body.status;

describe("the page of a job", () => {
  test("cancels it once it was asked, and says what it did", async () => {
    const id = await givenJob(db, await givenRunner(db, { orgId }));
    expect((await html(`/jobs/${id}/cancel`, cookie)).text).toContain("It has not begun");
    expect(await statusOf(id)).toBe("queued");
    const done = await post(`/jobs/${id}/cancel`);
    expect(done.headers.get("location")).toBe(`/jobs/${id}`);
    expect(await statusOf(id)).toBe("cancelled");
    const again = await html(`/jobs/${id}/cancel`, cookie);
    expect(again.status).toBe(409);
    expect(again.text).toContain("already ended");
  });

  test("runs it again once, however often the button is pressed", async () => {
    const id = await givenJob(db, await givenRunner(db, { orgId }));
    const asked = await html(`/jobs/${id}/rerun`, cookie);
    const key = /name="key" value="([\w-]+)"/.exec(asked.text)?.[1] ?? "";
    const [first, second] = await Promise.all([1, 2].map(() => post(`/jobs/${id}/rerun`, { key })));
    const to = first?.headers.get("location") ?? "";
    expect(to).toMatch(/^\/jobs\/job_/);
    expect(to).not.toBe(`/jobs/${id}`);
    expect(second?.headers.get("location")).toBe(to);
    expect((await html(to, cookie)).text).toContain(id);
  });

  test("is not there for another org, nor its log, plan and actions", async () => {
    const { jobId } = await givenRun(dashboard);
    const other = await givenToken(db, { orgId: await givenOrg(db) });
    const foreign = await signIn(await link(other));
    for (const page of ["", "/log", "/log/download", "/plan", "/changes", "/cancel", "/rerun"]) {
      expect({ page, status: (await html(`/jobs/${jobId}${page}`, foreign)).status }).toEqual({
        page,
        status: 404,
      });
    }
    expect((await post(`/jobs/${jobId}/cancel`, {}, foreign)).status).toBe(404);
    expect(await statusOf(jobId)).toBe("in-progress");
  });

  test("shows who may only read neither plan nor actions, and refuses them", async () => {
    const { jobId } = await givenRun(dashboard);
    const reader = await signIn(await link(await givenToken(db, { orgId, role: "org_read_only" })));
    const { text } = await html(`/jobs/${jobId}`, reader);
    for (const address of ["plan", "cancel", "rerun"]) {
      expect(text).not.toContain(`/jobs/${jobId}/${address}"`);
      expect((await html(`/jobs/${jobId}/${address}`, reader)).status).toBe(403);
    }
    expect((await post(`/jobs/${jobId}/cancel`, {}, reader)).status).toBe(403);
  });
});

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ body: `line ${from + at} of a very long log` }));

describe("a log", () => {
  test("is downloaded whole, as text", async () => {
    const { jobId, write } = await givenRun(dashboard);
    await write(numbered(1, 3000));
    const response = await fetch(`${broker.url}/jobs/${jobId}/log/download`, {
      headers: { cookie },
    });
    expect(response.headers.get("content-disposition")).toContain(`${jobId}.log`);
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect((await response.text()).trimEnd().split("\n")).toHaveLength(3000);
  });

  test("is read in pages, and a line's address leads to its page", async () => {
    const { jobId, write } = await givenRun(dashboard);
    await write(numbered(1, 3000));
    const lines = (text: string) =>
      [...text.matchAll(/id="L(\d+)"/g)].map(([, number]) => Number(number));
    const last = lines((await html(`/jobs/${jobId}/log`, cookie)).text);
    expect([last[0], last.at(-1)]).toEqual([2001, 3000]);
    const older = lines((await html(`/jobs/${jobId}/log?before=2001`, cookie)).text);
    expect([older[0], older.at(-1)]).toEqual([1001, 2000]);
    expect(lines((await html(`/jobs/${jobId}/log?at=120`, cookie)).text)).toContain(120);
    const found = await html(`/jobs/${jobId}/log?q=LINE+1234+OF`, cookie);
    expect(lines(found.text)).toEqual([1234]);
    expect(found.text).toContain("<mark>line 1234 of</mark>");
  });
});

describeWithTools(["chromium"], "a log of 100,000 lines", () => {
  test("opens with its last page, and is followed by fetching new lines alone", async () => {
    const { jobId, write } = await givenRun(dashboard);
    for (let from = 1; from <= 100_000; from += 20_000) await write(numbered(from, 20_000));
    const { page, complaints } = await openPage(await link());
    const fetched: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes(`/jobs/${jobId}/log`)) fetched.push(request.url());
    });
    await page.goto(`${broker.url}/jobs/${jobId}/log`);
    expect(await page.locator("#log .line").count()).toBe(1000);
    await page.getByText("Following", { exact: true }).waitFor();

    await write(numbered(100_001, 3));
    await page.locator("#L100003").waitFor();
    expect(await page.locator("#log .line").count()).toBe(1003);
    expect(fetched.slice(1).every((url) => /[?&]from=10000\d/.test(url))).toBe(true);
    expect(await page.locator("[data-latest]").isHidden()).toBe(true);

    await write(numbered(100_004, 8000));
    await page.locator("#L108003").waitFor();
    const count = await page.locator("#log .line").count();
    expect(count).toBeGreaterThan(900);
    expect(count).toBeLessThanOrEqual(5100);
    expect(fetched.length).toBeLessThan(30);

    await page.evaluate("document.getElementById('log').scrollTop = 0");
    await page.getByRole("button", { name: "Jump to the latest" }).waitFor();
    await page.getByRole("button", { name: "Jump to the latest" }).click();
    await page.getByText("Following", { exact: true }).waitFor();
    await page.goto(`${broker.url}/jobs/${jobId}/log#L120`);
    await page.locator("#L120:target").waitFor();
    expect(complaints).toEqual([]);
  });
});

describeWithTools(["chromium"], "a log that is followed", () => {
  test("goes on after a refused connection and after a page that did not come", async () => {
    const { jobId, write } = await givenRun(dashboard);
    await write(numbered(1, 3));
    const { page } = await openPage(await link());
    const away = { streams: true, pages: true };
    await page.route(/\/live\?/, (route) =>
      away.streams ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await page.goto(`${broker.url}/jobs/${jobId}/log`);
    await page.getByText("Not connected").waitFor();
    away.streams = false;
    await page.getByText("Following", { exact: true }).waitFor();
    await page.route(/\/log\?.*from=5/, (route) => (away.pages ? route.abort() : route.continue()));
    await write(numbered(4, 1));
    await page.locator("#L4").waitFor();
    await page.getByText("Not connected").waitFor();
    await write(numbered(5, 1));
    away.pages = false;
    await page.locator("#L5").waitFor();
  });
});
