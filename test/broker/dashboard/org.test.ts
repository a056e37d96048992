import { describe, expect, test } from "vitest";
import type { Org } from "../../../shared/api/orgs.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, call } = dashboard;
const cookie = await signIn(await link());

/** Sends the form of the page as a browser does. */
async function save(form: Record<string, string>) {
  const response = await fetch(`${broker.url}/org/change`, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { "user-agent": "node", "sec-fetch-site": "same-origin", cookie },
    redirect: "manual",
  });
  return { status: response.status, text: await response.text() };
}

const read = async () => await call<Org>("GET /v1/orgs/current");

describe("the page of an organisation", () => {
  test("shows for how long it keeps what, and who says so", async () => {
    const { text } = await dashboard.html("/org", cookie);
    expect(text).toContain("The broker&#39;s most");
    expect(text).toContain("90 days");
  });

  test("changes what was entered, and nothing else", async () => {
    const { version, retention_days: days } = (await read()).body;
    const form = { version: String(version), name: "Initech", "retention_days/logs": "7" };
    expect((await save(form)).status).toBe(303);
    const { body } = await read();
    expect(body).toMatchObject({ name: "Initech", version: version + 1 });
    expect(body.retention_days).toEqual({ ...days, logs: 7 });
    expect((await dashboard.html("/org", cookie)).text).toContain("the organisation");
    const again = { version: String(body.version), "retention_days/logs": "" };
    expect((await save(again)).status).toBe(303);
    expect((await read()).body.retention_days.logs).toBeNull();
  });

  test("asks again when somebody was faster, or days are none that are allowed", async () => {
    const { version } = (await read()).body;
    const raced = await save({ version: String(version - 1), name: "Hooli" });
    expect(raced.status).toBe(412);
    expect(raced.text).toContain(`you had version ${version - 1}`);
    expect(raced.text).toContain('value="Hooli"');
    const stays = { version: String(version) };
    expect((await save({ ...stays, "retention_days/audit": "1" })).status).toBe(422);
    expect((await save({ ...stays, "retention_days/jobs": "9999" })).status).toBe(422);
    const wrong = await save({ ...stays, "retention_days/jobs": "many" });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain("Give a whole number of days, or nothing.");
    expect((await read()).body.version).toBe(version);
  });

  test("offers no change to who may make none", async () => {
    const reader = await signIn(await link(await givenToken(db, { orgId, role: "org_read_only" })));
    expect((await dashboard.html("/org", reader)).text).not.toContain("/org/change");
    expect((await dashboard.html("/org/change", reader)).status).toBe(403);
  });
});

test("an org's ETag has the broker's days, which its answer shows, and a change meets it", async () => {
  const { headers, body } = await read();
  const etag = headers.get("etag") ?? "";
  expect(etag).toBe(`"${body.version}-${Object.values(body.retention_limit_days).join(".")}"`);
  const same = await call("GET /v1/orgs/current", { headers: { "if-none-match": etag } });
  expect(same.status).toBe(304);
  const older = { "if-none-match": `"${body.version}-1.1.1.1.7"` };
  expect((await call("GET /v1/orgs/current", { headers: older })).status).toBe(200);
  for (const tag of [etag, `"${body.version + 1}"`]) {
    const change = { body: { name: `Met ${tag.length}` }, headers: { "if-match": tag } };
    expect((await call("PATCH /v1/orgs/current", change)).status).toBe(200);
  }
});
