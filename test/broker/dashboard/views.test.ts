import { describe, expect, test } from "vitest";
import { pages } from "../../../broker/dashboard/pages.ts";
import { accessFaults, openOnce, openPage, overflow } from "../../support/browser/browser.ts";
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

/** One page in one look is one test, so that each has its own time on a machine that does much else besides. */
const shown = views.map((view) => [view.address, view] as const);

const empty = shown.flatMap(([address, { whenEmpty }]) =>
  whenEmpty === undefined ? [] : [[address, whenEmpty] as const],
);

describeWithTools(["chromium"], "every view", () => {
  describe.each([
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["on a telephone", { viewport: { width: 360, height: 740 } }],
    ["without scripts", { javaScriptEnabled: false }],
  ] as const)("is whole and has no fault: %s", (_, options) => {
    const open = openOnce(async () => await full.link(), options);

    test.each(shown)("%s", async (address, { has }) => {
      const { page, complaints } = await open();
      complaints.length = 0; // of the page before
      const answer = await page.goto(full.broker.url + address);
      expect(answer?.status()).toBe(200);
      expect(await page.innerText("main")).toContain(has);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      const scripts = !("javaScriptEnabled" in options);
      expect(scripts ? await accessFaults(page) : []).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });

  describe("has words where there is nothing", () => {
    const open = openOnce(async () => await full.link(emptyOrg));

    test.each(empty)("%s", async (address, whenEmpty) => {
      const { page, complaints } = await open();
      complaints.length = 0; // of the page before
      await page.goto(full.broker.url + address);
      expect(await page.innerText("main")).toContain(whenEmpty);
      expect(await accessFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });

  describe("shows a hostile name as text", () => {
    const open = openOnce(async () => await full.link());

    test.each(shown)("%s", async (address) => {
      const { page, complaints } = await open();
      complaints.length = 0; // of the page before
      await page.goto(full.broker.url + address);
      expect(await page.evaluate("globalThis.pwned")).toBeUndefined();
      expect(complaints).toEqual([]);
    });
  });
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
