import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkSealKeys } from "../../../broker/seals/check-keys.ts";
import { sealAnew } from "../../../broker/seals/seal-anew.ts";
import { startBroker } from "../../support/broker.ts";
import { advanceClock } from "../../support/clock.ts";
import { testDatabase } from "../../support/database.ts";
import { testFolder } from "../../support/folder.ts";
import { type GivenOperator, givenOperator } from "../../support/given-operator.ts";
import { givenToken } from "../../support/given-token.ts";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/given-workspace.ts";

const planted = "hunter2-hunter2-hunter2";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

/** Every value of every table of the database, as text and as bytes. */
async function dumpOf({ db }: Pick<GivenOperator, "db">): Promise<string> {
  const tables = await db<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema in ('public', 'graphile_worker')`;
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await db.unsafe<{ row: string }[]>(
      `select row_to_json(t)::text as row from ${name} t`,
    );
    texts.push(...rows.map(({ row }) => row));
  }
  const text = texts.join("\n");
  const bytes = [...text.matchAll(/\\\\x((?:[0-9a-f]{2})+)/g)].map(([, hex = ""]) =>
    Buffer.from(hex, "hex").toString("latin1"),
  );
  const encoded = [...text.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].map(([one]) =>
    Buffer.from(one, "base64").toString("latin1"),
  );
  return [text, ...bytes, ...encoded].join("\n");
}

/** Plants the word wherever something is sealed. */
async function plant(by: GivenOperator): Promise<{ id: string; jobId: string; result: string }> {
  const id = await givenWorkspace(by);
  const vars = { password: planted };
  const plan = {
    terraform: { terraform_backend: { WorkspaceID: id }, vars },
    apply_plan_contents: Buffer.from(planted).toString("base64"),
  };
  const job = await givenStateJob(by, id, { plan });
  const { token } = job;
  const lock = terraformLock();
  await by.call(`POST /v1/terraform-workspaces/${id}/lock`, { token, body: lock });
  const padding = randomBytes(1_200_000).toString("base64") + planted;
  const states = [stateText({ serial: 1, secret: planted }), stateText({ serial: 2, padding })];
  for (const body of states) {
    const written = await by.call(`POST ${backendPath(id, lock.ID)}`, { token, body });
    expect(written.status).toBe(200);
  }
  const json = { token, body: { values: { secret: planted } } };
  await by.call(`POST /v1/terraform-workspaces/${id}/state-json`, json);
  const result = `/v1/runner-jobs/${job.jobId}/executions/${job.executionId}/result`;
  for (const contents of [planted, `${planted} once more`]) {
    const body = {
      success: true,
      contents,
      contents_compressed: Buffer.from(planted).toString("base64"),
    };
    expect((await by.call(`POST ${result}`, { token, body })).status).toBe(201);
  }
  return { id, jobId: job.jobId, result };
}

describe("a dump of the database", () => {
  test("shows nothing of plans, results and states, and a broker shows all of it", async () => {
    const { id, jobId, result } = await plant(at);
    const dump = await dumpOf(at);
    expect(dump).toContain(jobId);
    expect(dump).not.toContain(planted);
    expect(JSON.stringify((await at.call(`GET /v1/runner-jobs/${jobId}/plan`)).body)).toContain(
      planted,
    );
    expect((await at.call(`GET ${result}`)).body).toMatchObject({
      contents: planted,
      contents_gzip: Buffer.from(planted).toString("base64"),
    });
    const execution = await at.call(`GET ${result.replace("/result", "")}`);
    expect(execution.body["evidence"]).toMatchObject([
      { kind: "result", body: { contents: `${planted} once more` } },
    ]);
    for (const one of [backendPath(id), `/v1/terraform-workspaces/${id}/state-json`]) {
      expect(JSON.stringify((await at.call(`GET ${one}`)).body)).toContain(planted);
    }
  });

  test("tells as much as the log does", async () => {
    await plant(at);
    const logged = at.broker.logged.join("\n");
    expect(logged).toContain("/v1/terraform-backend");
    expect(logged).not.toContain(planted);
  });

  test("does not open a row that was moved to another job or another org", async () => {
    const [one, other] = [await plant(at), await plant(at)];
    await at.db`
      update runner_job_plans p set contents = o.contents from runner_job_plans o
       where p.runner_job_id = ${one.jobId} and o.runner_job_id = ${other.jobId}`;
    const answer = await at.call(`GET /v1/runner-jobs/${one.jobId}/plan`);
    expect(answer).toMatchObject({ status: 503, body: { code: "seal_broken" } });
    await at.db`
      update terraform_state_parts p set body = o.body
        from terraform_state_parts o, terraform_workspaces w, terraform_workspaces v
       where w.id = ${one.id} and v.id = ${other.id} and p.object_id = w.state_id and o.object_id = v.state_id
         and p.n = 0 and o.n = 0`;
    const state = await at.call(`GET ${backendPath(one.id)}`);
    expect(state).toMatchObject({ status: 503, body: { code: "seal_broken" } });
  });
});

const keyLine = (id: string): string => `${id} ${randomBytes(32).toString("base64")}`;

describe("another key", () => {
  test("opens nothing: a clear refusal, no job handed out, and a broker that is not ready", async () => {
    const { id, jobId, result } = await plant(at);
    const folder = await testFolder();
    const file = path.join(folder, "keys");
    await writeFile(file, keyLine("other"));
    const url = at.broker.broker.config.databaseUrl;
    const other = await startBroker({ url, env: { SVC_SEAL_KEYS: `file:${file}` } });
    const { token } = at;
    for (const one of [`/v1/runner-jobs/${jobId}/plan`, result, backendPath(id)]) {
      const answer = await other.call(`GET ${one}`, { token });
      expect(answer).toMatchObject({ status: 503, body: { code: "seal_key_missing" } });
      expect(String(answer.body["detail"])).toContain("test-1");
    }
    const runner = await at.createRunner();
    const ours = { token: await givenToken(at.db, { orgId: at.orgId, runnerId: runner.id }) };
    const process = await at.call(`POST /v1/runners/${runner.id}/processes`, {
      ...ours,
      body: { type: "install", version: "1", groups: { operations: 1 } },
    });
    const job = { type: "noop", plan: { greeting: "hello" } };
    const made = await at.call(`POST /v1/runners/${runner.id}/jobs`, { body: job });
    expect(made.status).toBe(201);
    const asked = { process_id: process.body["id"], groups: { operations: 1 }, wait: "1s" };
    const claimed = await other.call(`POST /v1/runners/${runner.id}/jobs/claim`, {
      ...ours,
      body: asked,
    });
    expect(claimed).toMatchObject({ status: 200, body: { jobs: [] } });
    expect(other.logged.join("\n")).toContain("a job is handed to nobody");
    const ready = await other.call("GET /readyz");
    expect(ready.status).toBe(503);
    expect(JSON.stringify(ready.body)).toContain("test-1");
    await other.stop();
    await at.db`delete from seal_keys where id = 'other'`;
  });

  test("of a name that is known already keeps a broker from starting", async () => {
    const folder = await testFolder();
    const file = path.join(folder, "keys");
    await writeFile(file, keyLine("test-1"));
    const url = at.broker.broker.config.databaseUrl;
    const env = { SVC_SEAL_KEYS: `file:${file}` };
    await expect(startBroker({ url, env })).rejects.toThrow(
      "The seal key test-1 is not the one of that name",
    );
  });
});

describe("a rotation", () => {
  test("seals with the newest key, opens with the old one, and ends when nothing needs that", async () => {
    const { url, db } = await testDatabase();
    const folder = await testFolder();
    const file = path.join(folder, "keys");
    await writeFile(file, keyLine("k1"));
    const by = await givenOperator("org_admin", {
      url,
      db,
      env: { SVC_SEAL_KEYS: `file:${file}` },
    });
    const { broker } = by.broker;
    const { id, jobId, result } = await plant(by);
    const old = await readFile(file, "utf8");
    await writeFile(file, `${keyLine("k2")}\n${old}`);
    await broker.seals.refresh();
    await checkSealKeys(db, broker.seals);
    const signal = new AbortController().signal;
    expect(await sealAnew(broker, signal)).toBe(0); // not before every broker has the new key
    await advanceClock(db, "11 minutes");
    expect(await sealAnew(broker, signal)).toBe(6);
    expect(await sealAnew(broker, signal)).toBe(0);
    const keys = await db<{ id: string }[]>`select id from seal_keys`;
    expect(keys).toEqual([{ id: "k2" }]);
    await writeFile(file, (await readFile(file, "utf8")).split("\n")[0] ?? "");
    await broker.seals.refresh();
    expect(JSON.stringify((await by.call(`GET /v1/runner-jobs/${jobId}/plan`)).body)).toContain(
      planted,
    );
    expect((await by.call(`GET ${result}`)).body["contents"]).toBe(planted);
    for (const revision of [1, 2]) {
      const state = `/v1/terraform-workspaces/${id}/states/${revision}/contents`;
      expect(JSON.stringify((await by.call(`GET ${state}`)).body)).toContain(planted);
    }
  });
});
