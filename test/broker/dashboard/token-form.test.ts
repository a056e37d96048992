import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import type { Token } from "../../../shared/api/tokens.ts";
import { openPage } from "../../support/browser/browser.ts";
import { givenDashboard, postForm, signIn } from "../../support/browser/given-dashboard.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, call } = dashboard;
const at = `${broker.url}/tokens/new`;
const ways = [
  ["with scripts", {}],
  ["without scripts", { javaScriptEnabled: false }],
] as const;

describeWithTools(["chromium"], "a token that is bound to an install", () => {
  test.each(ways)("is made from the page of the install: %s", async (way, options) => {
    const install = await givenInstall(way.replace(" ", "-"));
    const { page } = await openPage(await link(), options);
    await page.goto(`${broker.url}/installs/${install.id}`);
    await page.getByRole("link", { name: "Create a token" }).click();
    expect(await page.getByLabel("Bound to").inputValue()).toBe(`installs/${install.id}`);
    await page.getByLabel("Name").fill("The installer");
    await page.getByLabel("Who uses it").selectOption("an installer");
    await page.getByLabel("Role").selectOption("Installer");
    await page.getByLabel("Valid for").selectOption("7 days");
    await page.getByRole("button", { name: "Create the token" }).click();
    const secret = (await page.locator("pre").innerText()).trim();
    const asked = { token: secret };
    const own = await call<Token & { permissions: string[] }>("GET /v1/tokens/current", asked);
    expect(own.body).toMatchObject({
      kind: "it",
      name: "The installer",
      role: "installer",
      bound_type: "installs",
      bound_id: install.id,
    });
    expect(own.body.permissions).toContain("installs.operate");
    const lives = Date.parse(own.body.expires_at ?? "") - Date.parse(own.body.created_at);
    expect(Math.round(lives / 86_400_000)).toBe(7);
    await page.getByRole("link", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);
  });
});

describe("the form that makes tokens", () => {
  test("make one token of a form that is sent twice, and show its secret once", async () => {
    const cookie = await signIn(await link());
    const from = String(Date.now());
    const form = { name: "once", role: "org_read_only", key: "0123456789abcdef", from };
    const first = await postForm(at, cookie, { form });
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const text = await first.text();
    expect(text).toContain("svc_sa_");
    const again = await postForm(at, cookie, { form });
    const told = await again.text();
    expect([again.status, told.includes("svc_sa_")]).toEqual([409, false]);
    expect(told).toContain("Its secret was shown once");
    const [{ made } = { made: 0 }] = await db<{ made: number }[]>`
      select count(*)::int as made from tokens where org_id = ${orgId} and name = 'once'`;
    expect(made).toBe(1);
  });

  test("say what is wrong, and keep what was entered", async () => {
    const cookie = await signIn(await link());
    const bound = await postForm(at, cookie, {
      form: {
        name: "x",
        role: "installer",
        bound: "apps/app_x",
      },
    });
    expect(bound.status).toBe(422);
    expect(await bound.text()).toContain('value="x"');
    const none = await postForm(at, cookie, { form: { name: "x" } });
    expect(await none.text()).toContain("Choose a role.");
  });
});

async function givenInstall(name: string): Promise<Install> {
  const { body: app } = await call<{ id: string }>("POST /v1/apps", { body: { name } });
  const body = { "metadata.toml": { name } };
  await call(`POST /v1/apps/${app.id}/configs/sync`, { body });
  const wanted = { name: "acme", start: false };
  return (await call<Install>(`POST /v1/apps/${app.id}/installs`, { body: wanted })).body;
}
