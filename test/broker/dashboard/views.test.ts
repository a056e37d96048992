import { expect, test } from "vitest";
import { pages } from "../../../broker/dashboard/pages.ts";
import { accessFaults, openPage, overflow } from "../../support/browser/browser.ts";
import { givenDashboard } from "../../support/browser/given-dashboard.ts";
import { givenViews } from "../../support/browser/given-views.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const full = await givenDashboard();
const emptyOrg = await givenToken(full.db, { orgId: await givenOrg(full.db) });
const views = await givenViews(full);

test("every page is among the views", () => {
  const shown = new Set(views.map(({ path }) => path));
  expect(pages.map(({ path }) => path).filter((path) => !shown.has(path))).toEqual([]);
});

/** Each of these opens all pages, one after the other. */
const manyPagesMs = 300_000;

describeWithTools(["chromium"], "every view", () => {
  test.each([
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["on a telephone", { viewport: { width: 360, height: 740 } }],
    ["without scripts", { javaScriptEnabled: false }],
  ] as const)(
    "is whole and has no fault: %s",
    async (_, options) => {
      const { page, complaints } = await openPage(await full.link(), options);
      const faults: string[] = [];
      for (const { address, has } of views) {
        const answer = await page.goto(full.broker.url + address);
        if (answer?.status() !== 200) faults.push(`${address} answered ${answer?.status()}`);
        if (!(await page.innerText("main")).includes(has)) faults.push(`${address} lacks ${has}`);
        if ((await overflow(page)) > 0) faults.push(`${address} is wider than its window`);
        if ("javaScriptEnabled" in options) continue;
        faults.push(...(await accessFaults(page)).map((fault) => `${address}: ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
    },
    manyPagesMs,
  );

  test(
    "has words where there is nothing",
    async () => {
      const { page, complaints } = await openPage(await full.link(emptyOrg));
      const faults: string[] = [];
      for (const { address, whenEmpty } of views) {
        if (whenEmpty === undefined) continue;
        await page.goto(full.broker.url + address);
        const text = await page.innerText("main");
        if (!text.includes(whenEmpty)) faults.push(`${address} does not say ${whenEmpty}: ${text}`);
        faults.push(...(await accessFaults(page)).map((fault) => `${address}: ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
    },
    manyPagesMs,
  );

  test(
    "shows a hostile name as text",
    async () => {
      const { page, complaints } = await openPage(await full.link());
      const run: string[] = [];
      for (const { address } of views) {
        await page.goto(full.broker.url + address);
        if (await page.evaluate("globalThis.pwned !== undefined")) run.push(address);
      }
      expect(run).toEqual([]);
      expect(complaints).toEqual([]);
    },
    manyPagesMs,
  );
});

describeWithTools(["chromium"], "a page that is open", () => {
  test("shows a new job by itself, and keeps the focus where it is", async () => {
    const { page, complaints } = await openPage(await full.link());
    await page.goto(`${full.broker.url}/jobs`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.focus("select[name=status]");
    const { id } = await full.createRunner();
    const made = await full.call<{ id: string }>(`POST /v1/runners/${id}/jobs`, {
      body: { type: "noop", operation: "exec", owner_id: "live", owner_type: "test" },
    });
    await page.getByRole("link", { name: made.body.id }).waitFor();
    expect(await page.evaluate("document.activeElement.name")).toBe("status");
    expect(complaints).toEqual([]);
  });

  test("shows what changed while it was not connected", async () => {
    const { page } = await openPage(await full.link());
    const { id } = await full.createRunner();
    const away = { streams: true };
    await page.route(/\/live\?/, (route) =>
      away.streams ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await page.goto(`${full.broker.url}/jobs`);
    await page.getByText("Not connected").waitFor();
    const made = await full.call<{ id: string }>(`POST /v1/runners/${id}/jobs`, {
      body: { type: "noop", operation: "exec", owner_id: "missed", owner_type: "test" },
    });
    away.streams = false;
    await page.getByRole("link", { name: made.body.id }).waitFor();
  });

  test("stands still while it is paused", async () => {
    const { page } = await openPage(await full.link());
    await page.goto(`${full.broker.url}/jobs`);
    await page.getByText("Live", { exact: true }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
  });
});
