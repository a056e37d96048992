import { describe, expect, test } from "vitest";
import { createAccount } from "../../../broker/accounts/create-account.ts";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { OrgAccount } from "../../../shared/api/accounts.ts";
import type { Invite } from "../../../shared/api/invites.ts";
import type { Role } from "../../../shared/api/roles.ts";
import { accessFaults, openPage, overflow } from "../../support/browser/browser.ts";
import { givenDashboard, postForm, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, call } = dashboard;
const ways = [
  ["with scripts", {}],
  ["without scripts", { javaScriptEnabled: false }],
] as const;
let count = 0;

/** A person of another org, with a token of their own. */
async function givenPerson() {
  const { orgId: home } = await bootstrapOrg(db, "Home");
  const person = { accountType: "auth", name: "Ann", email: "", createdById: "" };
  const subject = `ann${++count}`;
  const roles = ["org_read_only"];
  const { id } = await createAccount(db, home, { ...person, subject, roles });
  const own = { name: "t", kind: "pat", accountId: id, createdById: id, reach: "account" } as const;
  return { id, token: (await createToken(db, home, own)).secret };
}

const rolesNow = async () => (await call<{ items: Role[] }>("GET /v1/roles")).body.items;

describeWithTools(["chromium"], "an invitation", () => {
  test.each(ways)("is made, renewed, accepted and revoked: %s", async (_, options) => {
    const person = await givenPerson();
    const { page, complaints } = await openPage(await link(), options);
    await page.goto(`${broker.url}/org`);
    await page.getByRole("link", { name: "Invitations" }).click();
    await page.getByRole("link", { name: "Invite somebody" }).click();
    await page.getByLabel("Account").fill(person.id);
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("Choose at least one.").waitFor();
    expect(await page.getByLabel("Account").inputValue()).toBe(person.id);
    await page.getByLabel("Builder").check();
    await page.getByLabel("It can be accepted for").selectOption("1 day");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText(`Invited ${person.id}`).waitFor();
    await page.getByRole("link", { name: "Renew…" }).first().click();
    await page.getByRole("button", { name: "Renew the invitation" }).click();
    await page.getByText("is renewed").waitFor();
    const [renewed] = (await call<{ items: Invite[] }>("GET /v1/orgs/current/invites")).body.items;
    const livesMs = Date.parse(renewed?.expires_at ?? "") - Date.parse(renewed?.created_at ?? "");
    expect(Math.round(livesMs / 86_400_000)).toBe(7);

    const theirs = await openPage(await link(person.token), options);
    await theirs.page.goto(`${broker.url}/account`);
    await theirs.page.getByRole("link", { name: "Accept…" }).click();
    await theirs.page.getByText("that it gives you").waitFor();
    await theirs.page.setViewportSize({ width: 360, height: 740 });
    expect(await overflow(theirs.page)).toBeLessThanOrEqual(0);
    const scripts = !("javaScriptEnabled" in options);
    expect(scripts ? await accessFaults(theirs.page) : []).toEqual([]);
    await theirs.page.getByRole("button", { name: "Accept the invitation" }).click();
    await theirs.page.getByText("You are a member of").waitFor();
    const member = await call<OrgAccount>(`GET /v1/accounts/${person.id}`);
    expect(member.body.roles.map(({ role_type: type }) => type)).toEqual(["org_builder"]);

    const other = await givenPerson();
    const body = { account_id: other.id, roles: ["org_builder"] };
    const made = await call<Invite>("POST /v1/orgs/current/invites", { body });
    await page.goto(`${broker.url}/org/invites`);
    await page.getByRole("link", { name: "Revoke…" }).first().click();
    await page.getByRole("button", { name: "Revoke the invitation" }).click();
    await page.getByText("Revoked the invitation").waitFor();
    const { items } = (await call<{ items: Invite[] }>("GET /v1/orgs/current/invites")).body;
    expect(items.find(({ id }) => id === made.body.id)?.status).toBe("revoked");
    expect([...complaints, ...theirs.complaints].filter((one) => !one.includes("422"))).toEqual([]);
  });
});

describeWithTools(["chromium"], "a role of the org", () => {
  test.each(ways)("is made, changed and deleted: %s", async (way, options) => {
    const title = `Approver ${way}`;
    const { page } = await openPage(await link(), options);
    await page.goto(`${broker.url}/org/roles`);
    await page.getByRole("link", { name: "Narrow Support" }).click();
    expect(await page.getByLabel("accounts.write").count()).toBe(0);
    await page.getByLabel("Title").fill(title);
    await page.getByRole("button", { name: "Create the role" }).click();
    await page.getByText("Tick at least one.").waitFor();
    expect(await page.getByLabel("Title").inputValue()).toBe(title);
    await page.getByLabel("approvals.respond").check();
    await page.getByLabel("workflows.read").check();
    await page.getByRole("button", { name: "Create the role" }).click();
    await page.getByText(`Created the role ${title}.`).waitFor();
    const made = (await rolesNow()).find((one) => one.title === title);
    expect(made).toMatchObject({ org_id: orgId, role_type: "org_support" });
    expect(made?.policies).toEqual([
      { title: "approvals", permissions: { "approvals.respond": "allow" } },
      { title: "workflows", permissions: { "workflows.read": "allow" } },
    ]);
    await page.getByRole("link", { name: "Change" }).click();
    expect(await page.getByLabel("approvals.respond").isChecked()).toBe(true);
    await page.getByLabel("workflows.read").uncheck();
    await page.getByLabel("What it is for").fill("Answers");
    await page.getByRole("button", { name: "Save the role" }).click();
    await page.getByText(`Saved the role ${title}.`).waitFor();
    const changed = (await rolesNow()).find((one) => one.title === title);
    expect(changed).toMatchObject({ description: "Answers", permissions: ["approvals.respond"] });
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the role" }).click();
    await page.getByText(`Deleted the role ${title}.`).waitFor();
    expect((await rolesNow()).some((one) => one.title === title)).toBe(false);
  });
});

describe("the forms of access", () => {
  test("are not there for who may not, who is refused all the same", async () => {
    const role = (await rolesNow()).find(({ role_type: type }) => type === "org_support")?.id ?? "";
    const body = {
      title: "Own",
      role_type: "org_support",
      policies: [{ name: "a", permissions: ["orgs.read"] }],
    };
    const own = (await call<Role>("POST /v1/roles", { body })).body.id;
    const reader = await signIn(await link(await givenToken(db, { orgId, role: "org_read_only" })));
    const shown = await Promise.all(
      ["/org/invites", "/org/roles", `/org/roles/${own}`, `/org/roles/${role}`].map((path) =>
        dashboard.html(path, reader),
      ),
    );
    expect(shown.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const all = shown.map(({ text }) => text).join("");
    for (const form of ["/new", "/narrow", "/change", "/delete"]) expect(all).not.toContain(form);
    expect((await dashboard.html("/tokens/new", reader)).status).toBe(403);
    const forms = [
      "/org/invites/new",
      `/org/roles/${role}/narrow`,
      `/org/roles/${own}/change`,
      `/org/roles/${own}/delete`,
      "/tokens/new",
    ];
    for (const path of forms) {
      expect((await dashboard.html(path, reader)).status).toBe(403);
      expect((await postForm(broker.url + path, reader)).status).toBe(403);
    }
    const admin = await signIn(await link());
    for (const path of forms)
      expect((await postForm(broker.url + path, admin, { site: "cross-site" })).status).toBe(403);
    expect((await rolesNow()).some(({ id }) => id === own)).toBe(true);
  });

  test("offer only what their reader may give, and tell what saving takes away", async () => {
    const body = {
      title: "Wide",
      role_type: "org_admin",
      policies: [{ name: "a", permissions: ["orgs.read", "state.write"] }],
    };
    const wide = (await call<Role>("POST /v1/roles", { body })).body.id;
    const keeps = ["accounts.read", "accounts.write", "roles.read", "orgs.read", "tokens.own"];
    const keeper = {
      title: "Keeper",
      role_type: "org_admin",
      policies: [{ name: "a", permissions: keeps }],
    };
    const keeperId = (await call<Role>("POST /v1/roles", { body: keeper })).body.id;
    const made = { name: "k", role_id: keeperId };
    const { secret } = (await call<{ secret: string }>("POST /v1/tokens", { body: made })).body;
    const cookie = await signIn(await link(secret));
    const invite = (await dashboard.html("/org/invites/new", cookie)).text;
    expect(invite).toContain(`value="${keeperId}"`);
    expect(invite).not.toContain('value="org_admin"');
    const change = (await dashboard.html(`/org/roles/${wide}/change`, cookie)).text;
    expect(change).toContain("what you may not do yourself: state.write.");
    expect(change).not.toContain('value="state.write"');
  });
});
