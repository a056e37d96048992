import { beforeAll, describe, expect, test } from "vitest";
import type { HelmChart, HelmRelease } from "../../../shared/api/helm-charts.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenStateJob } from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

/** As helm writes it, with what a second writer of JSON would spell otherwise. */
const record = (name: string, version: number, status: string): string =>
  `{"name":"${name}", "info":{"status":"${status}","first_deployed":"2026-01-02T03:04:05.000000006Z"},
    "version":${version},"chart":{"values":{"replicas":1.0,"secret":"hunter2 of ${name}"}},"labels":{"team":"blue"} }`;

async function setup() {
  const body = { owner_id: "ins_1", owner_type: "installs" };
  const chart = (await at.call<HelmChart>("POST /v1/helm-charts", { body })).body.id;
  const plan = { helm: { helm_chart_id: chart, name: "web", namespace: "apps" } };
  const job = await givenStateJob(at, "", { plan, job: { type: "helm-chart-deploy" } });
  const path = `/v1/helm-releases/${chart}/releases/apps`;
  const key = (version: number): string => `sh.helm.release.v1.web.v${version}`;
  const ask = <Body>(what: string, sent?: string, token = job.token) =>
    at.call<Body>(what.replace("…", path), { token, ...(sent !== undefined && { body: sent }) });
  /** The answer's very text. */
  const read = async (rest: string): Promise<string> => {
    const headers = { authorization: `Bearer ${job.token}` };
    return (await fetch(at.broker.url + path + rest, { headers })).text();
  };
  return { chart, job, path, key, ask, read };
}

describe("helm's records", () => {
  test("come back byte for byte, by key, all of them and by their labels", async () => {
    const { ask, key, read } = await setup();
    const [one, two] = [record("web", 1, "superseded"), record("web", 2, "deployed")];
    const made = await ask<HelmRelease>(`POST …/${key(1)}`, one);
    expect(made).toMatchObject({
      status: 201,
      body: { key: key(1), name: "web", version: 1, status: "superseded", owner: "helm" },
    });
    expect((await ask(`POST …/${key(2)}`, two)).status).toBe(201);
    expect(await read(`/${key(1)}`)).toBe(one);
    expect(await read("")).toBe(`[${one},${two}]`);
    expect(await read("/query?name=web&owner=helm&status=deployed")).toBe(`[${two}]`);
    expect(await read("/query?version=1")).toBe(`[${one}]`);
    expect(await read("/query?team=blue")).toBe(`[${one},${two}]`);
    expect(await read("/query?team=red")).toBe("[]");
  });

  test("come back byte for byte when they are long, written again too, beside short ones", async () => {
    const { ask, key, read } = await setup();
    const padded = (letter: string): string =>
      record("web", 1, "deployed").replace("hunter2", letter.repeat(700_000));
    const short = record("web", 2, "deployed");
    expect((await ask(`POST …/${key(1)}`, padded("a"))).status).toBe(201);
    expect((await ask(`POST …/${key(2)}`, short)).status).toBe(201);
    expect(await read(`/${key(1)}`)).toBe(padded("a"));
    const again = await ask<HelmRelease>(`PUT …/${key(1)}`, padded("b"));
    expect(again).toMatchObject({ status: 200, body: { name: "web", status: "deployed" } });
    expect(await read(`/${key(1)}`)).toBe(padded("b"));
    expect(await read("")).toBe(`[${padded("b")},${short}]`);
    const broken = await ask(`PUT …/${key(1)}`, padded("c").slice(0, -1));
    expect(broken).toMatchObject({ status: 400, body: { code: "malformed_json" } });
    const nameless = await ask(`PUT …/${key(1)}`, record("n".repeat(700_000), 1, "deployed"));
    expect(nameless).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/name" }] } });
    expect(await read(`/${key(1)}`)).toBe(padded("b"));
  });

  test("are written once by a key, anew only where there is one, and gone when deleted", async () => {
    const { ask, key, read } = await setup();
    const path = `…/${key(1)}`;
    expect((await ask(`PUT ${path}`, record("web", 1, "deployed"))).status).toBe(404);
    const [first, second] = await Promise.all([
      ask(`POST ${path}`, record("web", 1, "pending-install")),
      ask(`POST ${path}`, record("web", 1, "pending-install")),
    ]);
    expect(new Set([first.status, second.status])).toEqual(new Set([201, 409]));
    const deployed = record("web", 1, "deployed");
    expect(await ask(`PUT ${path}`, deployed)).toMatchObject({
      status: 200,
      body: { status: "deployed" },
    });
    expect(await read(`/${key(1)}`)).toBe(deployed);
    expect((await ask(`DELETE ${path}`)).status).toBe(200);
    expect((await ask(`DELETE ${path}`)).status).toBe(404);
    expect((await ask(`GET ${path}`)).status).toBe(404);
  });

  test("that are none are refused with what is wrong, and nothing is kept", async () => {
    const { ask, key, read } = await setup();
    const wrong: [string, number][] = [
      ["", 400],
      ["{", 400],
      ["[]", 422],
      ['{"info":{}}', 422],
      ['{"name":7}', 422],
      ['{"name":"web","version":"1"}', 422],
      ['{"name":"web","version":-1}', 422],
      ['{"name":"web","labels":{"a":1}}', 422],
      ['{"name":"a\\u0000b"}', 422],
      ['{"name":"a\\ud800"}', 422],
      ['{"name":"web","labels":{"a":"\\ud800"}}', 422],
      ['{"name":"web","labels":{"\\ud800":"a"}}', 422],
    ];
    for (const [body, status] of wrong) {
      const answer = await ask<{ error: string }>(`POST …/${key(1)}`, body);
      expect([body, answer.status]).toEqual([body, status]);
      expect(answer.body.error).toBeTruthy();
    }
    for (const rest of ["/query?a=%00", "/query?%00=a"]) {
      const answer = await ask<{ errors: object[] }>(`GET …${rest}`);
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ code: "nul_character" }] } });
    }
    expect((await ask("GET …/a%00b")).status).toBe(404);
    expect((await ask(`GET …%00/${key(1)}`)).status).toBe(404);
    expect((await ask("POST …/query", record("web", 1, "deployed"))).status).toBe(422);
    expect(await read("")).toBe("[]");
  });

  test("are reached by the job whose plan names the chart, until ten minutes after its end", async () => {
    const { ask, key, job, path } = await setup();
    const other = await setup();
    await ask(`POST …/${key(1)}`, record("web", 1, "deployed"));
    const stranger = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    for (const token of [other.job.token, other.job.runnerToken, stranger]) {
      expect((await at.call(`GET ${path}`, { token })).status).toBe(404);
      expect((await at.call(`DELETE ${path}/${key(1)}`, { token })).status).toBe(404);
    }
    expect((await at.call(`GET ${path}`, { token: job.runnerToken })).status).toBe(200);
    await at.call(`PATCH /v1/runner-jobs/${job.jobId}/executions/${job.executionId}`, {
      token: job.runnerToken,
      body: { status: "failed" },
    });
    await advanceClock(at.db, "9 minutes");
    expect((await at.call(`GET ${path}`, { token: job.runnerToken })).status).toBe(200);
    await advanceClock(at.db, "2 minutes");
    expect((await at.call(`GET ${path}`, { token: job.runnerToken })).status).toBe(404);
  });

  test("are listed and shown to operators without their contents, which the database keeps sealed", async () => {
    const { ask, key, chart } = await setup();
    await ask(`POST …/${key(1)}`, record("web", 1, "deployed"));
    const listed = await at.call<{ items: HelmRelease[] }>(
      `GET /v1/helm-releases?chart_id=${chart}&status=deployed`,
    );
    expect(listed.body.items).toMatchObject([{ helmChartID: chart, name: "web", version: 1 }]);
    const [release] = listed.body.items;
    const shown = await at.call<HelmChart>(`GET /v1/helm-charts/${chart}`);
    expect(shown.body.helmReleases).toEqual([release]);
    const charts = await at.call<{ items: HelmChart[] }>("GET /v1/helm-charts");
    expect(charts.body.items.find(({ id }) => id === chart)).toEqual(shown.body);
    expect((await at.call(`GET /v1/helm-releases/${release?.id}`)).body).toEqual(release);
    expect(JSON.stringify(listed.body)).not.toContain("hunter2");
    const [{ found } = { found: null }] = await at.db<{ found: number }[]>`
      select count(*)::int as found from helm_releases
       where position('hunter2'::bytea in contents) > 0 or helm_releases::text like '%hunter2%'`;
    expect(found).toBe(0);
  });
});
