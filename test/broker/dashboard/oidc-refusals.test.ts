import { describe, expect, test } from "vitest";
import { cookieOf } from "../../support/browser/given-dashboard.ts";
import { givenOidc } from "../../support/browser/given-oidc.ts";

const { broker, db, issuer, secret, get, givenPerson, begin, visit } = await givenOidc();

describe("nobody is signed in", () => {
  const refusedOf = async (response: Response) => ({
    status: response.status,
    text: await response.text(),
    cookie: cookieOf(response),
  });

  test("whom no account has as its subject, and the page says the subject", async () => {
    const { back, kept } = await visit("no<b>body");
    const refused = await refusedOf(await get(back, kept));
    expect(refused).toMatchObject({ status: 403, cookie: "" });
    expect(refused.text).toContain("Example knows you as “no&lt;b&gt;body”");
  });

  test("of whom an account has the email address alone", async () => {
    await givenPerson("", { email: "finn@example.com" });
    const { back, kept } = await visit("finn@example.com");
    expect((await get(back, kept)).status).toBe(403);
  });

  test("whose name is a machine's", async () => {
    await givenPerson("robot", { account_type: "service" });
    const { back, kept } = await visit("robot");
    expect((await get(back, kept)).status).toBe(403);
  });

  test("whose name another provider gave to the account", async () => {
    const accountId = await givenPerson("gus");
    await db`insert into sign_in_identities (issuer, subject, account_id)
             values ('https://former.example', 'gus', ${accountId})`;
    const { back, kept } = await visit("gus");
    expect((await get(back, kept)).status).toBe(403);
  });

  test("by an answer that another browser was given, and by one that comes twice", async () => {
    await givenPerson("hal");
    const { back, kept } = await visit("hal");
    expect(await refusedOf(await get(back))).toMatchObject({ status: 401, cookie: "" });
    const other = await begin();
    expect(await refusedOf(await get(back, other.kept))).toMatchObject({ status: 401, cookie: "" });
    expect((await get(back, kept)).status).toBe(303);
    expect(await refusedOf(await get(back, kept))).toMatchObject({ status: 401, cookie: "" });
  });

  test("by a code of somebody else's sign-in", async () => {
    await givenPerson("ida");
    const mine = await visit("ida");
    const theirs = await visit("ida");
    const mixed = new URL(mine.back);
    mixed.searchParams.set("code", new URL(theirs.back).searchParams.get("code") ?? "");
    expect(await refusedOf(await get(mixed.href, mine.kept))).toMatchObject({
      status: 401,
      cookie: "",
    });
  });

  test("when the person does not want to, and when the cookie is nonsense", async () => {
    const { to, kept } = await begin();
    const state = new URL(to).searchParams.get("state");
    const denied = `/sign-in/callback?error=access_denied&state=${state}&iss=${issuer}`;
    expect(await refusedOf(await get(denied, kept))).toMatchObject({ status: 403, cookie: "" });
    const odd = Buffer.from('{"state":1}').toString("base64url");
    for (const text of [odd, "%%%", "e30"])
      expect((await get("/sign-in/callback?code=a", `svc_begun=${text}`)).status).toBe(401);
  });

  test("and no other site is led to", async () => {
    await givenPerson("joe");
    const { back, kept } = await visit("joe", "//evil.example/");
    expect((await get(back, kept)).headers.get("location")).toBe("/");
  });

  test("and the log names no code, no token and no secret", () => {
    const logged = broker.logged.join("");
    expect(logged).toContain('"fault":"refused"');
    expect(logged).not.toContain(secret);
    expect(logged).not.toMatch(/[?&]code=/);
    expect(logged).not.toContain("eyJ");
  });
});
