import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import { openPage } from "../../support/browser/browser.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, call } = dashboard;
const cookie = await signIn(await link());

const steps = [{ name: "one", command: "true" }];
const web = { name: "web", type: "helm_chart", chart_name: "web", dependencies: ["db"] };
const repo = { public_repo: { repo: "a/b", directory: "." } };
const config = {
  "metadata.toml": { name: "shop" },
  components: {
    "db.toml": { name: "db", type: "helm_chart", chart_name: "db", ...repo },
    "web.toml": { ...web, ...repo },
  },
  actions: {
    "greet.toml": { name: "greet", steps },
    "nightly.toml": {
      name: "nightly",
      steps,
      triggers: [{ type: "cron", cron_schedule: "0 3 * * *" }],
    },
  },
  runbooks: {
    "again.toml": { name: "again", steps: [{ name: "first", type: "action", command: "true" }] },
  },
};

test("the page of an app shows what its active config has, and no more", async () => {
  const app = (await call<{ id: string }>("POST /v1/apps", { body: { name: "shop" } })).body.id;
  const bare = (await dashboard.html(`/apps/${app}`, cookie)).text;
  expect(bare).not.toContain("Components");
  const synced = await call(`POST /v1/apps/${app}/configs/sync`, { body: config });
  expect(synced.status).toBe(201);
  await call(`POST /v1/apps/${app}/runbooks`, { body: { name: "unused" } });
  const { text } = await dashboard.html(`/apps/${app}`, cookie);
  const words = text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  expect(words).toContain("web helm_chart db");
  expect(words).toContain("nightly cron 0 3 * * *");
  expect(words).toContain("again first");
  expect(words).not.toContain("unused");
});

describe("the form that runs an action", () => {
  test("is for those who may, and says so of an install without any", async () => {
    const { body: app } = await call<{ id: string }>("POST /v1/apps", { body: { name: "bare" } });
    const body = { "metadata.toml": { name: "bare" } };
    await call(`POST /v1/apps/${app.id}/configs/sync`, { body });
    const install = (await create(app.id)).id;
    const asked = await dashboard.html(`/installs/${install}/run`, cookie);
    expect(asked.status).toBe(409);
    expect(asked.text).toContain("There is no action");
    expect((await dashboard.html(`/installs/${install}`, cookie)).text).not.toContain(
      `${install}/run"`,
    );
    const reader = await signIn(await link(await givenToken(db, { orgId, role: "org_read_only" })));
    expect((await dashboard.html(`/installs/${install}/run`, reader)).status).toBe(403);
  });
});

describeWithTools(["chromium"], "an action is run from the page of its install", () => {
  test.each([
    ["with scripts", {}],
    ["without scripts", { javaScriptEnabled: false }],
  ])("%s", async (name, options) => {
    const { body: app } = await call<{ id: string }>("POST /v1/apps", {
      body: { name: name.replace(" ", "-") },
    });
    const metadata = { "metadata.toml": { name: name.replace(" ", "-") } };
    const actions = {
      "careful.toml": { name: "careful", approval: true, steps },
      "greet.toml": { name: "greet", steps },
    };
    await call(`POST /v1/apps/${app.id}/configs/sync`, { body: { ...metadata, actions } });
    const install = (await create(app.id)).id;
    const { page, complaints } = await openPage(await link(), options);
    await page.goto(`${broker.url}/installs/${install}`);
    await page.getByRole("link", { name: "Run greet…" }).click();
    expect(await page.getByLabel("Action").inputValue()).toBe("greet");
    await page.goto(`${broker.url}/installs/${install}`);
    await page.getByRole("link", { name: "Run an action" }).click();
    expect(await page.getByLabel("Action").inputValue()).toBe("");
    await page.getByLabel("Action").selectOption("careful (somebody must approve it)");
    await page.getByRole("button", { name: "Run the action" }).click();
    await page.waitForURL(/\/workflows\/wfl_/);
    expect(await page.innerText("main")).toContain("Run careful");
    expect(complaints).toEqual([]);
  });
});

async function create(appId: string): Promise<Install> {
  const body = { name: "acme", start: false };
  return (await call<Install>(`POST /v1/apps/${appId}/installs`, { body })).body;
}
