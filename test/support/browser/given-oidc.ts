import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { freePorts } from "../network/free-ports.ts";
import { afterFile } from "../run/after-file.ts";
import { cookieOf, type GivenDashboard, givenDashboard } from "./given-dashboard.ts";
import { givenProvider } from "./given-provider.ts";
import { visitProvider } from "./provider-visit.ts";

/** A dashboard that people sign in to with a provider. */
export type GivenOidc = GivenDashboard & {
  readonly issuer: string;
  readonly secret: string;
  readonly get: (where: string, cookie?: string) => Promise<Response>;
  readonly isSignedIn: (cookie: string) => Promise<boolean>;
  /** Makes an account whose name at the provider is this one. */
  readonly givenPerson: (subject: string, more?: object) => Promise<string>;
  /** Begins to sign in: where the browser is sent, and the cookie that it keeps. */
  readonly begin: (next?: string) => Promise<{ to: string; kept: string }>;
  /** Signs in at the provider: where it sends the browser back to, and the cookie. */
  readonly visit: (subject: string, next?: string) => Promise<{ back: string; kept: string }>;
  /** Signs in wholly; the session's cookie. */
  readonly signInAs: (subject: string) => Promise<string>;
};

/** A broker with a real provider. */
export async function givenOidc(): Promise<GivenOidc> {
  const { register, issuer, clientId, secret } = await givenProvider();
  const [port = 0] = await freePorts(1);
  const folder = mkdtempSync(path.join(tmpdir(), "svc-test-"));
  afterFile(async () => await rm(folder, { recursive: true, force: true }));
  const secretFile = path.join(folder, "secret");
  writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });
  const dashboard = await givenDashboard("org_admin", {
    env: {
      SVC_PORT: String(port),
      SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
      SVC_OIDC_ISSUER: issuer,
      SVC_OIDC_CLIENT_ID: clientId,
      SVC_OIDC_CLIENT_SECRET_FILE: secretFile,
      SVC_OIDC_NAME: "Example",
    },
  });
  const { broker, call } = dashboard;
  register(`${broker.url}/sign-in/callback`);

  const get: GivenOidc["get"] = async (where, cookie = "") =>
    await fetch(where.startsWith("/") ? broker.url + where : where, {
      headers: { "user-agent": "node", ...(cookie !== "" && { cookie }) },
      redirect: "manual",
    });
  const begin: GivenOidc["begin"] = async (next = "/") => {
    const begun = await get(`/sign-in/provider?next=${encodeURIComponent(next)}`);
    expect(begun.status).toBe(303);
    const [set = ""] = begun.headers.getSetCookie();
    expect(set).toMatch(/^svc_begun=.*HttpOnly; SameSite=Lax$/);
    return { to: begun.headers.get("location") ?? "", kept: set.split(";")[0] ?? "" };
  };
  const visit: GivenOidc["visit"] = async (subject, next) => {
    const { to, kept } = await begin(next);
    return { back: await visitProvider(issuer).signIn(to, subject), kept };
  };
  return {
    ...dashboard,
    issuer,
    secret,
    get,
    begin,
    visit,
    isSignedIn: async (cookie) => cookie !== "" && (await get("/account", cookie)).status === 200,
    async givenPerson(subject, more = {}) {
      const body = {
        account_type: "auth",
        name: subject,
        subject,
        roles: ["org_support"],
        ...more,
      };
      const made = await call<{ id: string }>("POST /v1/accounts", { body });
      expect(made.status).toBe(201);
      return made.body.id;
    },
    async signInAs(subject) {
      const { back, kept } = await visit(subject);
      const entered = await get(back, kept);
      expect(entered.status).toBe(303);
      return cookieOf(entered);
    },
  };
}
