import { expect, test } from "vitest";
import type { Runner } from "../../../shared/api/runner.ts";
import { openPage, type SignedIn } from "../../support/browser/browser.ts";
import { givenDashboard } from "../../support/browser/given-dashboard.ts";
import { givenProcess } from "../../support/rows/given.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const dashboard = await givenDashboard();
const { broker, db, link, call } = dashboard;

/** Presses Tab until what has the focus says this. */
async function tabTo(page: SignedIn["page"], text: string): Promise<void> {
  const focused = (): Promise<string> =>
    page.evaluate<string>(
      "document.activeElement.name || document.activeElement.textContent.trim()",
    );
  for (let pressed = 0; pressed < 60; pressed++) {
    if ((await focused()) === text) return;
    await page.keyboard.press("Tab");
  }
  expect(await focused()).toBe(text);
}

describeWithTools(["chromium"], "with the keyboard alone", () => {
  test("a runner is paused, and resumed by what the page offers to undo it", async () => {
    const { id } = await dashboard.createRunner();
    const { page, complaints } = await openPage(await link());
    await page.goto(`${broker.url}/runners/${id}`);
    await tabTo(page, "Pause");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/pause$/);
    await tabTo(page, "note");
    await page.keyboard.type("new disk");
    await page.keyboard.press("Enter");
    await page.getByText("Paused runner").waitFor();
    expect((await call<Runner>(`GET /v1/runners/${id}`)).body.pause?.note).toBe("new disk");
    await tabTo(page, "Resume");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/resume$/);
    await tabTo(page, "Resume");
    await page.keyboard.press("Enter");
    await page.getByText("Resumed runner").waitFor();
    expect(complaints).toEqual([]);
  });

  test("a runner is stopped by force once its name is typed", async () => {
    const { id, name, given } = await dashboard.createRunner();
    await givenProcess(db, given);
    const { page, complaints } = await openPage(await link());
    await page.goto(`${broker.url}/runners/${id}/force-shutdown`);
    await tabTo(page, "typed");
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await page.getByText("told to stop now").waitFor();
    expect(complaints).toEqual([]);
  });
});
