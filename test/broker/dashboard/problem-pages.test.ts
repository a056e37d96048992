import { describe, expect, test } from "vitest";
import { actions, pages } from "../../../broker/dashboard/pages.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenRun } from "../../support/browser/given-job-views.ts";
import { givenJob, givenRunner } from "../../support/rows/given.ts";
import {
  givenStateJob,
  givenWorkspace,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, html, call } = dashboard;
const cookie = await signIn(await link());

const backOf = (text: string): string => /href="([^"]*)">Back</.exec(text)?.[1] ?? "";

/** An address for each id of a path; of nothing that exists. */
const prefixes: Readonly<Record<string, string>> = {
  job_id: "job",
  runner_id: "run",
  process_id: "prc",
  runner_group_id: "rgr",
  queue_id: "que",
  signal_id: "sig",
  emitter_id: "emt",
  workspace_id: "tfw",
  token_id: "tok",
};
const addressOf = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name in prefixes ? `${prefixes[name]}_${"0".repeat(26)}` : "1",
  );

describe("a page for what cannot be shown", () => {
  const all = [...pages, ...actions].filter(({ path }) => path.includes("{"));

  test.each(all.map(({ path }) => [path]))("of %s has a way back to a page", async (path) => {
    const lost = await html(addressOf(path), cookie);
    expect(lost.status).toBe(404);
    expect(backOf(lost.text)).not.toBe("/");
    expect((await html(backOf(lost.text), cookie)).status).toBe(200);
  });

  test("leads from a refused question to what it is about", async () => {
    const id = await givenJob(db, await givenRunner(db, { orgId }));
    await call(`POST /v1/runner-jobs/${id}/cancel`);
    expect(backOf((await html(`/jobs/${id}/cancel`, cookie)).text)).toBe(`/jobs/${id}`);
    const workspace = await givenWorkspace(dashboard);
    const at = `/workspaces/${workspace}`;
    expect(backOf((await html(`${at}/force-unlock`, cookie)).text)).toBe(at);
    const { token } = await givenStateJob(dashboard, workspace);
    await call(`POST /v1/terraform-workspaces/${workspace}/lock`, { token, body: terraformLock() });
    const refused = await fetch(`${broker.url}${at}/force-unlock`, {
      method: "POST",
      body: new URLSearchParams({ reason: "it hangs" }),
      headers: { "user-agent": "node", "sec-fetch-site": "same-origin", cookie },
    });
    expect(refused.status).toBe(409);
    expect(backOf(await refused.text())).toBe(at);
  });
});

describe("an address that is none", () => {
  const get = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(broker.url + path, {
      headers: { "user-agent": "node", ...headers },
      redirect: "manual",
    });
    const { status } = response;
    return { status, type: response.headers.get("content-type"), text: await response.text() };
  };
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";

  test("is a page of the dashboard for a browser", async () => {
    const shown = await get("/nowhere", { accept, cookie });
    expect(shown).toMatchObject({
      status: 404,
      type: expect.stringContaining("text/html") as string,
    });
    expect(shown.text).toContain("This page does not exist.");
    expect(shown.text).toContain('href="/runners"');
  });

  test("is a bare page for whoever is not signed in", async () => {
    const shown = await get("/nowhere", { accept });
    expect(shown).toMatchObject({
      status: 404,
      type: expect.stringContaining("text/html") as string,
    });
    expect(shown.text).toContain("Not found");
    expect(shown.text).not.toContain('href="/runners"');
  });

  test("is a problem for a client of the API", async () => {
    for (const [path, headers] of [
      ["/nowhere", { accept: "*/*" }],
      ["/nowhere", { accept: "application/json" }],
      ["/v1/nowhere", { accept }],
    ] as const) {
      const { status, type } = await get(path, headers);
      expect({ path, status, type }).toMatchObject({
        status: 404,
        type: "application/json",
      });
    }
  });
});

test("a log is downloaded as its page is narrowed", async () => {
  const { jobId, write } = await givenRun(dashboard);
  await write([
    { body: "all is well" },
    { body: "it went wrong", severity: 17 },
    { body: "wrong again" },
  ]);
  const page = await html(`/jobs/${jobId}/log?q=wrong&severity=error`, cookie);
  const [, address = ""] = /href="([^"]*\/download[^"]*)"/.exec(page.text) ?? [];
  const narrowed = await html(address.replaceAll("&amp;", "&"), cookie);
  expect(narrowed.text.trimEnd().split("\n")).toHaveLength(1);
  expect(narrowed.text).toContain("it went wrong");
  expect((await html(`/jobs/${jobId}/log/download?severity=loud`, cookie)).status).toBe(422);
  const whole = await html(`/jobs/${jobId}/log/download`, cookie);
  expect(whole.text.trimEnd().split("\n")).toHaveLength(3);
});
