import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { accessFaults, openPage } from "../../support/browser/browser.ts";
import { cookieOf, givenDashboard } from "../../support/browser/given-dashboard.ts";
import { givenOidc } from "../../support/browser/given-oidc.ts";
import { freePorts } from "../../support/network/free-ports.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const oidc = await givenOidc();
const { broker, db, call, get, isSignedIn, givenPerson, begin, visit, signInAs } = oidc;

const sessionsOf = async (accountId: string) =>
  await db<{ token_id: string }[]>`
    select s.token_id from dashboard_sessions s join tokens t on t.id = s.token_id
     where t.account_id = ${accountId}`;

describe("signing in with a provider", () => {
  test("leads back to where the person wanted to go, with its roles", async () => {
    const accountId = await givenPerson("ann");
    const { back, kept } = await visit("ann", "/jobs?status=failed");
    const entered = await get(back, kept);
    expect(entered.headers.get("location")).toBe("/jobs?status=failed");
    const cookie = cookieOf(entered);
    expect(await isSignedIn(cookie)).toBe(true);
    expect(await (await get("/account", cookie)).text()).toContain(accountId);
    const [token] = await db<{ kind: string; reach: string; issuer: string; life: number }[]>`
      select kind, reach, issuer, extract(epoch from expires_at - svc_now())::float8 / 3600 as life
        from tokens where account_id = ${accountId}`;
    expect(token).toMatchObject({ kind: "pat", reach: "account", issuer: oidc.issuer });
    expect(token?.life).toBeCloseTo(12, 1);
  });

  test("asks with PKCE, a state and a nonce that nobody can guess", async () => {
    const first = new URL((await begin()).to).searchParams;
    const second = new URL((await begin()).to).searchParams;
    expect(first.get("response_type")).toBe("code");
    expect(first.get("code_challenge_method")).toBe("S256");
    expect(first.get("redirect_uri")).toBe(`${broker.url}/sign-in/callback`);
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(first.get(name)?.length).toBeGreaterThanOrEqual(43);
      expect(first.get(name)).not.toBe(second.get(name));
    }
  });

  test("stands for one token, however often; its end is the end of all sessions", async () => {
    const accountId = await givenPerson("bob");
    const cookies = [await signInAs("bob"), await signInAs("bob")];
    const tokens = new Set((await sessionsOf(accountId)).map((row) => row.token_id));
    expect(tokens.size).toBe(1);
    const [tokenId = ""] = tokens;
    await db`update tokens set revoked_at = svc_now() where id = ${tokenId}`;
    expect(await Promise.all(cookies.map(isSignedIn))).toEqual([false, false]);
    expect(await isSignedIn(await signInAs("bob"))).toBe(true);
  });

  test("twice at once, for the first time, works for both", async () => {
    await givenPerson("cleo");
    const both = await Promise.all([signInAs("cleo"), signInAs("cleo")]);
    expect(await Promise.all(both.map(isSignedIn))).toEqual([true, true]);
  });

  test("ends with the last role", async () => {
    const accountId = await givenPerson("dan");
    const cookie = await signInAs("dan");
    expect((await call(`DELETE /v1/accounts/${accountId}`)).status).toBe(204);
    expect(await isSignedIn(cookie)).toBe(false);
    const { back, kept } = await visit("dan");
    expect((await get(back, kept)).status).toBe(403);
  });

  test("goes on in another org when the first one has taken its roles", async () => {
    const accountId = await givenPerson("eve");
    const other = await givenOrg(db);
    await db`insert into account_roles (account_id, org_id, role_id)
             select ${accountId}, ${other}, id from roles where role_type = 'org_admin' and managed`;
    await signInAs("eve");
    await call(`DELETE /v1/accounts/${accountId}`);
    const page = await get("/account", await signInAs("eve"));
    expect(await page.text()).toContain(other);
  });
});

/** A provider that does with each request what it is told; its issuer. */
async function oddProvider(answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a broker", () => {
  test.each<[string, http.RequestListener]>([
    ["never answers", () => {}],
    [
      "answers without end",
      (_, response) => void setInterval(() => response.write("x".repeat(65_536)), 1).unref(),
    ],
    [
      "answers another issuer's document",
      (_, response) =>
        void response
          .setHeader("content-type", "application/json")
          .end('{"issuer":"https://evil.example"}'),
    ],
    [
      "sends elsewhere",
      (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    ],
  ])("lets nobody in, and goes on, when the provider %s", async (_, answer) => {
    const env = {
      SVC_PUBLIC_URL: "http://127.0.0.1:1",
      SVC_OIDC_ISSUER: await oddProvider(answer),
      SVC_OIDC_CLIENT_ID: "svc",
    };
    const other = await givenDashboard("org_admin", { env });
    const refused = await fetch(`${other.broker.url}/sign-in/provider`, { redirect: "manual" });
    expect([401, 502]).toContain(refused.status);
    expect(await refused.text()).toContain("Sign in to svc");
    expect((await fetch(`${other.broker.url}/sign-in`)).status).toBe(200);
  });

  test("asks the provider nothing before somebody signs in, and says when it is away", async () => {
    const [away = 0] = await freePorts(1);
    const [own = 0] = await freePorts(1);
    const other = await givenDashboard("org_admin", {
      env: {
        SVC_PORT: String(own),
        SVC_PUBLIC_URL: `http://127.0.0.1:${own}`,
        SVC_OIDC_ISSUER: `http://127.0.0.1:${away}`,
        SVC_OIDC_CLIENT_ID: "svc",
      },
    });
    const refused = await fetch(`${other.broker.url}/sign-in/provider`, { redirect: "manual" });
    expect(refused.status).toBe(502);
    expect(await refused.text()).toContain("could not be reached");
    const page = await (await fetch(`${other.broker.url}/sign-in`)).text();
    expect(page).toContain(`Sign in with 127.0.0.1:${away}`);
  });

  test("without a provider has neither the button nor its paths", async () => {
    const plain = await givenDashboard();
    expect(await (await fetch(`${plain.broker.url}/sign-in`)).text()).not.toContain("Sign in with");
    expect((await fetch(`${plain.broker.url}/sign-in/callback?code=a`)).status).toBe(404);
  });

  test("lets a token in beside it", async () => {
    const own = await givenToken(db, { orgId: oidc.orgId, role: "org_admin" });
    const entered = await fetch(`${broker.url}/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ token: own }),
      headers: { "sec-fetch-site": "same-origin" },
      redirect: "manual",
    });
    expect(entered.status).toBe(303);
  });
});

describeWithTools(["chromium"], "a person in a browser", () => {
  test("presses the button, types a name at the provider, and is in", async () => {
    await givenPerson("kim");
    const { page, complaints } = await openPage(`${broker.url}/jobs`);
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.getByRole("link", { name: "Sign in with Example" }).click();
    await page.locator("[name=login]").fill("kim");
    await page.getByRole("button").click();
    await page.waitForURL(`${broker.url}/jobs`);
    expect(await page.locator("h1").first().textContent()).toContain("Jobs");
    expect(complaints).toEqual([]);
  });
});
