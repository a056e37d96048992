import { describe, expect, test } from "vitest";
import { tokenDigest } from "../../../broker/tokens/token-secret.ts";
import {
  cookieOf,
  givenDashboard,
  signIn,
  useLink,
} from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { misspelt } from "../../support/tokens/misspelt.ts";

const dashboard = await givenDashboard();
const { broker, db, token, orgId, link } = dashboard;
const { url } = broker;

const get = async (path: string, headers: Record<string, string> = {}) =>
  await fetch(url + path, { headers: { "user-agent": "node", ...headers }, redirect: "manual" });
const post = async (path: string, form: Record<string, string>, headers = {}) =>
  await fetch(url + path, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { "user-agent": "node", "sec-fetch-site": "same-origin", ...headers },
    redirect: "manual",
  });
const isSignedIn = async (cookie: string): Promise<boolean> =>
  (await get("/account", { cookie })).status === 200;

describe("signing in", () => {
  test("works with a token, and leads to where the person wanted to go", async () => {
    const wanted = await get("/jobs?status=failed");
    expect(wanted.status).toBe(303);
    const next = "/jobs?status=failed";
    expect(wanted.headers.get("location")).toBe(`/sign-in?next=${encodeURIComponent(next)}`);
    const entered = await post("/sign-in", { token, next });
    expect(entered.headers.get("location")).toBe(next);
    expect(await isSignedIn(cookieOf(entered))).toBe(true);
  });

  test.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "javascript:alert(1)",
    "/.//evil.example/",
    "/%2e//evil.example/",
  ])("never leads to another site: %s", async (next) => {
    const entered = await post("/sign-in", { token, next });
    expect(entered.status).toBe(303);
    expect(entered.headers.get("location")).toMatch(/^\/(?!\/)/);
    expect(entered.headers.get("location")).not.toContain("evil.example/");
  });

  test("with a link works once", async () => {
    const made = await link();
    expect(await isSignedIn(await signIn(made))).toBe(true);
    const again = await useLink(made);
    expect(again.status).toBe(401);
    expect(await again.text()).toContain("This link was used before");
    expect((await fetch(made)).status).toBe(401);
  });

  test("with a link of which two are fast works for one", async () => {
    const made = await link();
    const both = await Promise.all([1, 2].map(() => useLink(made)));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([303, 401]));
  });

  test("with a link works within a quarter of an hour", async () => {
    const made = await link();
    await db`update dashboard_sessions set expires_at = svc_now() where purpose = 'link'`;
    expect((await useLink(made)).status).toBe(401);
  });

  test("with a link says whom it signs in, and is done by nobody but the person on that page", async () => {
    const made = await link();
    // A preview of the link, in a chat or by a mail server, does not use it up.
    const shown = await fetch(made, { redirect: "manual" });
    expect(shown.status).toBe(200);
    expect(cookieOf(shown)).toBe("");
    expect(await shown.text()).toContain("signs this browser in to the org");
    const secret = new URL(made).searchParams.get("link") ?? "";
    const foreign = await post("/sign-in", { link: secret }, { "sec-fetch-site": "cross-site" });
    expect(foreign.status).toBe(403);
    expect(await isSignedIn(await signIn(made))).toBe(true);
  });

  test("with a wrong token says so, and shows nothing of it", async () => {
    const wrong = misspelt(token);
    const refused = await post("/sign-in", { token: wrong });
    expect(refused.status).toBe(401);
    const text = await refused.text();
    expect(text).toContain("This token is unknown");
    expect(text).not.toContain(wrong);
  });

  test("is not for a runner's token", async () => {
    const { given } = await dashboard.createRunner();
    const runners = await givenToken(db, { orgId, runnerId: given.runnerId });
    const refused = await post("/sign-in", { token: runners });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("A token of kind rt cannot sign in");
    expect((await broker.call("POST /v1/sign-in-links", { token: runners })).status).toBe(403);
  });

  test("sets a cookie that scripts and other sites do not get, and HTTPS alone under HTTPS", async () => {
    const [plain] = (await post("/sign-in", { token })).headers.getSetCookie();
    expect(plain).toMatch(/^svc_session=.*HttpOnly; SameSite=Lax$/);
  });
});

type Told = { action: string; outcome: string; ip: string; changes: object | null };
const told = async (): Promise<Told[]> =>
  (await broker.call<{ items: Told[] }>("GET /v1/audit?limit=10", { token })).body.items;

describe("the audit log", () => {
  test("tells who signed in and out, how, and from where", async () => {
    const cookie = await signIn(await link());
    await post("/sign-out", {}, { cookie });
    const [out, entered] = await told();
    expect(out).toMatchObject({ action: "signOut", outcome: "allowed", ip: "127.0.0.1" });
    expect(entered).toMatchObject({ action: "signIn", outcome: "allowed", ip: "127.0.0.1" });
    expect(entered?.changes).toEqual({ with: "link" });
  });

  test("tells of a session that another browser showed", async () => {
    const cookie = await signIn(await link());
    await get("/jobs", { cookie, "user-agent": "curl" });
    const [stolen] = await told();
    expect(stolen).toMatchObject({ action: "useSession", outcome: "refused" });
  });

  test("tells from where an act of a page came", async () => {
    const { id } = await dashboard.createRunner();
    const cookie = await signIn(await link());
    const form = { note: "for a while" };
    const paused = await post(`/runners/${id}/pause`, form, { cookie });
    expect(paused.status).toBe(303);
    const [event] = await told();
    expect(event).toMatchObject({ outcome: "allowed", ip: "127.0.0.1" });
  });

  test("lets nobody in of whom it cannot tell", async () => {
    const own = await givenToken(db, { orgId, role: "org_admin" });
    const made = await link(own);
    await db`alter function write_audit rename to write_audit_away`;
    try {
      const refused = await useLink(made);
      expect(refused.status).toBe(503);
      expect(cookieOf(refused)).toBe("");
    } finally {
      await db`alter function write_audit_away rename to write_audit`;
    }
    const [row] = await db<{ sessions: number }[]>`
      select count(*)::int as sessions from dashboard_sessions s join tokens t on t.id = s.token_id
       where t.digest = ${tokenDigest(own)} and s.purpose = 'session'`;
    expect(row?.sessions).toBe(0);
  });
});

describe("a session", () => {
  test("outlives an update of its browser", async () => {
    const cookie = await signIn(await link(), "Mozilla/5.0 (X11) Firefox/141.0");
    const updated = await get("/account", {
      cookie,
      "user-agent": "Mozilla/5.0 (X11) Firefox/142.0.1",
    });
    expect(updated.status).toBe(200);
  });

  test("ends when its token is revoked, and when the person signs out", async () => {
    const own = await givenToken(db, { orgId, role: "org_admin" });
    const first = await signIn(await link(own));
    const second = await signIn(await link(own));
    expect(await isSignedIn(first)).toBe(true);
    expect((await post("/sign-out", {}, { cookie: first })).status).toBe(303);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    const current = await broker.call<{ id: string }>("GET /v1/tokens/current", { token: own });
    await broker.call(`DELETE /v1/tokens/${current.body.id}`, { token });
    expect(await isSignedIn(second)).toBe(false);
  });

  test("that another browser shows is ended, and says so", async () => {
    const cookie = await signIn(await link());
    const stolen = await get("/jobs", { cookie, "user-agent": "curl" });
    expect(stolen.status).toBe(303);
    expect(stolen.headers.get("location")).toContain("why=stolen");
    expect(await isSignedIn(cookie)).toBe(false);
    expect(broker.logged.join("")).toContain("a session was used by another browser");
  });

  test("is no token for requests", async () => {
    const cookie = await signIn(await link());
    const secret = cookie.split("=")[1] ?? "";
    const asked = await broker.call("GET /v1/roles", { token: secret });
    expect(asked).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    expect(await isSignedIn(cookie)).toBe(true);
  });

  test("has the permissions of its token, and no page beyond them", async () => {
    const builders = await givenToken(db, { orgId, role: "telemetry_collector" });
    const cookie = await signIn(await link(builders));
    expect((await get("/jobs", { cookie })).status).toBe(403);
  });

  test("is one of fifty of its token: a new one ends the oldest", async () => {
    const own = await givenToken(db, { orgId, role: "org_admin" });
    const first = await signIn(await link(own));
    for (let made = 0; made < 50; made++) await link(own);
    expect(await isSignedIn(first)).toBe(false);
    const [row] = await db<{ sessions: number }[]>`
      select max(n)::int as sessions from (select count(*) as n from dashboard_sessions group by token_id) s`;
    expect(row?.sessions).toBe(50);
  });

  test("that shows an org which its token does not reach goes on as before", async () => {
    const other = await givenOrg(db);
    const cookie = await signIn(await link());
    const shown = await post("/shown-org", { org_id: other }, { cookie });
    expect(shown.status).toBe(404);
    expect(await isSignedIn(cookie)).toBe(true);
  });
});

describe("a form from another site", () => {
  test.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ])("does nothing: %o", async (headers) => {
    const cookie = await signIn(await link());
    const refused = await post("/sign-out", {}, { cookie, ...headers });
    expect(refused.status).toBe(403);
    expect(await isSignedIn(cookie)).toBe(true);
  });
});

describe("an asset", () => {
  test("is kept for ever under its address, and another text has another address", async () => {
    const page = await (await get("/sign-in")).text();
    const style = /href="(\/assets\/dashboard\.css\?v=\w+)"/.exec(page)?.[1] ?? "";
    const asset = await get(style);
    expect(asset.headers.get("cache-control")).toContain("immutable");
    expect(asset.headers.get("content-type")).toContain("text/css");
    expect((await get("/assets/..%2f..%2fpackage.json")).status).toBe(404);
    expect((await get("/assets/constructor")).status).toBe(404);
  });
});
