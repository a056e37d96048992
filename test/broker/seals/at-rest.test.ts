import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { dumpOf, expectAllThere, plant, planted } from "../../support/broker/planted-secrets.ts";
import { keyLine } from "../../support/broker/seal-keys.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { testFolder } from "../../support/run/folder.ts";
import { backendPath } from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

describe("a dump of the database", () => {
  test("shows nothing of plans, results, outputs, records and states, and a broker shows all of it", async () => {
    const made = await plant(at);
    const dump = await dumpOf(at);
    expect(dump).toContain(made.jobId);
    expect(dump).not.toContain(planted);
    await expectAllThere(at.call, made);
    expect((await at.call(`GET ${made.result}`)).body).toMatchObject({
      contents: planted,
      contents_gzip: Buffer.from(planted).toString("base64"),
    });
    const { body } = await at.call(`GET ${made.execution}`);
    const password = { sensitive: true, type: "string" };
    const other = `${planted} once more`;
    expect(body).toMatchObject({
      outputs: { outputs: { db_password: { value: planted, ...password } } },
      evidence: [
        { kind: "result", body: { contents: other } },
        { kind: "outputs", body: { db_password: { value: other, ...password } } },
      ],
    });
  });

  test("has no evidence of a report that came twice", async () => {
    const { execution, result } = await plant(at);
    const stored = (await at.call<{ outputs: { outputs: object } }>(`GET ${execution}`)).body;
    const [job] = await at.db<{ id: string }[]>`select runner_id as id from runner_job_executions
      where id = ${execution.split("/").at(-1) ?? ""}`;
    const token = await givenToken(at.db, { orgId: at.orgId, runnerId: job?.id ?? "" });
    const { outputs } = stored.outputs;
    expect((await at.call(`POST ${execution}/outputs`, { token, body: { outputs } })).status).toBe(
      201,
    );
    const { success, contents, contents_gzip } = (await at.call(`GET ${result}`)).body;
    const body = { success, contents, contents_compressed: contents_gzip };
    expect((await at.call(`POST ${result}`, { token, body })).status).toBe(201);
    expect((await at.call(`GET ${execution}`)).body["evidence"]).toHaveLength(2);
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
    expect(other.logged.join("\n")).toContain("a job cannot be claimed here");
    const readiness = async () => {
      const { status, body } = await other.call("GET /readyz");
      return { status, text: JSON.stringify(body) };
    };
    await expect
      .poll(readiness)
      .toEqual({ status: 503, text: expect.stringContaining("test-1") as string });
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
      "The seal key test-1 differs from the key with this id",
    );
  });
});
