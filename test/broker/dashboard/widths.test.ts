import { expect, test } from "vitest";
import { openPage } from "../../support/browser/browser.ts";
import { givenDashboard } from "../../support/browser/given-dashboard.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const dashboard = await givenDashboard();

describeWithTools(["chromium"], "the list of jobs", () => {
  test.each([
    [360, ["Job", "Status", "Type", "Created"]],
    [1280, ["Job", "Status", "Type", "Runner", "Created", "Ran", "Description"]],
    [1700, ["Job", "Status", "Type", "Group", "Runner", "Owner", "Created", "Ran", "Description"]],
  ])("shows at a width of %i px what matters there, and is not wider", async (width, heads) => {
    const { id: runnerId } = await dashboard.createRunner();
    const body = { type: "noop-deploy", operation: "exec", owner_id: "ins_1", owner_type: "i" };
    const job = await dashboard.call<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, {
      body,
    });
    const viewport = { width, height: 800 };
    const { page } = await openPage(await dashboard.link(), { viewport });
    await page.goto(`${dashboard.broker.url}/jobs`);
    await page.getByRole("link", { name: job.body.id }).waitFor();
    const shown = page.locator("thead th:visible");
    expect((await shown.allInnerTexts()).map((text) => text.trim())).toEqual(heads);
    const tooWide = await page.evaluate<number>(
      "(one => one.scrollWidth - one.clientWidth)(document.querySelector('.scroll'))",
    );
    expect(tooWide).toBeLessThanOrEqual(0);
  });
});
