import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createToken } from "../../../broker/tokens/create-token.ts";
import { maskPlan } from "../../../shared/plans/mask-plan.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenProcess, givenRunner } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const broker = await startBroker({ url });
const mebibyte = 1024 * 1024;
const resultRoute = "/v1/runner-jobs/:job_id/executions/:execution_id/result";
const noise = (bytes: number): string => randomBytes(bytes).toString("base64");

/** A job of this plan that an org's runner has claimed, and those who may speak for it. */
async function setup(plan: object = {}) {
  const runner = await givenRunner(db);
  const { orgId, runnerId } = runner;
  const processId = await givenProcess(db, runner);
  const admin = await givenToken(db, { orgId });
  const grants = { kind: "sa", role: "org_read_only", grants: ["plans.read"] } as const;
  const reader = await createToken(db, orgId, { ...grants, name: "t", createdById: "" });
  const token = await givenToken(db, { orgId, runnerId });
  const made = await broker.call<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, {
    token: admin,
    body: { type: "terraform-deploy", plan },
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ process_id: processId, poll_id: "p", groups: { deploy: 1 } });
  const claim = `${broker.url}/v1/runners/${runnerId}/jobs/claim`;
  const claimed = (await (await fetch(claim, { method: "POST", headers, body })).json()) as {
    jobs: { execution: { id: string } }[];
  };
  const job = `/v1/runner-jobs/${made.body.id}`;
  const execution = `${job}/executions/${claimed.jobs[0]?.execution.id}`;
  return { ...runner, jobId: made.body.id, job, execution, admin, reader: reader.secret, token };
}

describe("large outputs", () => {
  test("are in every answer as small ones are: parsed, and byte for byte", async () => {
    const at = await setup();
    const outputs = { "a ä": noise(mebibyte), list: [1.5, null, { b: 'said "so"' }] };
    const outputs_json = Buffer.from(JSON.stringify(outputs)).toString("base64");
    const stored = await broker.call(`POST ${at.execution}/outputs`, {
      token: at.token,
      body: { outputs },
    });
    expect(stored).toMatchObject({ status: 201, body: { outputs, outputs_json } });
    const body = { status: "finished", result: { success: true } };
    await broker.call(`POST ${at.execution}/finish`, { token: at.token, body });
    for (const path of [at.job, `${at.job}/wait`, `/v1/runners/${at.runnerId}/jobs/${at.jobId}`]) {
      const { body: job } = await broker.call(`GET ${path}`, { token: at.admin });
      expect(job).toMatchObject({ id: at.jobId, outputs, outputs_json, status: "finished" });
    }
    const { body: read } = await broker.call(`GET ${at.execution}`, { token: at.admin });
    expect(read).toMatchObject({ outputs: { outputs, outputs_json }, result: { success: true } });
  });
});

describe("a large plan within its job", () => {
  test("is the same text, and without its secrets for who may not see them", async () => {
    const plan = { src_tag: "v1 ä", note: noise(mebibyte), terraform: { vars: { a: 'b"\n' } } };
    const at = await setup(plan);
    for (const [token, text] of [
      [at.admin, JSON.stringify(plan)],
      [at.reader, JSON.stringify(maskPlan("terraform-deploy", plan))],
    ] as const) {
      const bare = await fetch(`${broker.url}${at.job}/plan`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await bare.text()).toBe(text);
      const inJob = await broker.call(`GET ${at.job}?include=plan`, { token });
      expect(inJob.body).toMatchObject({ id: at.jobId, json: { plan_json: text } });
    }
  });

  test("comes with a rerun of it, and what it names", async () => {
    const plan = {
      terraform: { terraform_backend: { WorkspaceID: "tfw_1" } },
      pad: noise(mebibyte),
    };
    const at = await setup(plan);
    const again = await broker.call<{ id: string }>(`POST ${at.job}/rerun`, { token: at.admin });
    expect(again.status).toBe(201);
    const headers = { authorization: `Bearer ${at.admin}` };
    const read = await fetch(`${broker.url}/v1/runner-jobs/${again.body.id}/plan`, { headers });
    expect(await read.json()).toEqual(plan);
    const names = await db`
      select name from runner_job_plan_names where runner_job_id = ${again.body.id}`;
    expect(names).toEqual([{ name: "tfw_1" }]);
  });

  test("is read for the first state call of its job, and not again for the next", async () => {
    const workspace = await givenWorkspace();
    const { at, call } = workspace;
    expect((await call()).status).toBe(204);
    await db`
      update runner_job_plans set contents = set_byte(contents, 0, 99) where runner_job_id = ${at.jobId}`;
    expect((await call()).status).toBe(204);
  });

  /** A workspace without a state that a job's large plan names, and a call of its terraform. */
  async function givenWorkspace() {
    const runner = await setup();
    const id = "tfw_00000000000000000000000009";
    const plan = { terraform: { terraform_backend: { WorkspaceID: id } }, pad: noise(mebibyte) };
    const at = await setup(plan);
    await db`
      insert into terraform_workspaces (id, org_id, owner_id, owner_type, created_by_id)
      values (${id}, ${at.orgId}, 'ins_1', 'installs', ${runner.orgId})`;
    const query = new URLSearchParams({ workspace_id: id, job_id: at.jobId, token: at.token });
    return {
      at,
      call: () => broker.call(`GET /v1/terraform-backend?${query.toString()}`, { token: at.token }),
    };
  }
});

describe("readers of a large result", () => {
  test("are bounded by room: who finds none waits, and another org's reader goes past", async () => {
    const env = { SVC_BODIES_MIB: "8", SVC_BODIES_ORG_MIB: "2", SVC_BODIES_TOKEN_MIB: "2" };
    const small = await startBroker({ url, env });
    const [at, other] = [await setup(), await setup()];
    for (const one of [at, other]) {
      const body = { success: true, contents_compressed: noise(15 * mebibyte) };
      const stored = await broker.call(`POST ${one.execution}/result`, { token: one.token, body });
      expect(stored.status).toBe(201);
    }
    const figure = async (name: string) => {
      const { body } = await small.call<string>("GET /metrics");
      return Number(new RegExp(`^svc_bodies_${name}\\{of="out"\\} (\\d+)$`, "m").exec(body)?.[1]);
    };
    const readers = Array.from({ length: 3 }, () => askAndNotRead(small.url, at));
    await expect.poll(() => figure("bytes")).toBe(2 * mebibyte);
    await expect.poll(() => figure("waiting")).toBe(1);
    const { body: metrics } = await small.call<string>("GET /metrics");
    expect(metrics).toMatch(/^svc_requests_seated 0$/m); // who waits keeps no permit
    const past = await small.call(`GET ${other.execution}/result`, { token: other.admin });
    expect(past.status).toBe(200);
    for (const reader of readers) reader.destroy();
    await expect.poll(() => figure("bytes")).toBe(0);
  });

  test("hold none once they are gone, also when they were before they had it", async () => {
    const mine = await startBroker({ url });
    const at = await setup();
    const body = { success: true, contents_compressed: noise(mebibyte) };
    await broker.call(`POST ${at.execution}/result`, { token: at.token, body });
    const figure = async (name: string) => {
      const { body: text } = await mine.call<string>("GET /metrics");
      const lines = text.split("\n").filter((line) => line.startsWith(name));
      return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    };
    const answered = `svc_http_requests_total{method="GET",route="${resultRoute}"`;
    await db.begin(async (tx) => {
      await tx`lock table runner_job_execution_results in access exclusive mode`;
      const reader = askAndNotRead(mine.url, at);
      await expect.poll(() => figure("svc_requests_seated")).toBe(1);
      const open = await figure("svc_http_connections");
      reader.destroy();
      await expect.poll(() => figure("svc_http_connections")).toBeLessThan(open);
    });
    await expect.poll(() => figure(answered)).toBe(1);
    await expect.poll(() => figure('svc_bodies_bytes{of="out"}')).toBe(0);
  });

  /** Asks for the result and takes none of it. */
  function askAndNotRead(
    at: string,
    { execution, admin }: { execution: string; admin: string },
  ): Socket {
    const { hostname, port } = new URL(at);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {}); // it is broken off in the end
    socket.pause();
    socket.write(
      `GET ${execution}/result HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${admin}\r\n\r\n`,
    );
    return socket;
  }
});

describe("the long answer of an act", () => {
  test("holds its room while a client takes none of it, also with an Idempotency-Key, and again", async () => {
    const { orgId } = await givenRunner(db);
    const token = await givenToken(db, { orgId, role: "org_builder" });
    const app = await broker.call<{ id: string }>("POST /v1/apps", {
      token,
      body: { name: "shop" },
    });
    const path = `/v1/apps/${app.body.id}/configs/sync`;
    const { downloads } = broker.broker;
    for (const key of ["", "idempotency-key: k\r\n", "idempotency-key: k\r\n"]) {
      const client = await beginToRead(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${key}` +
          `content-type: application/json\r\ncontent-length: ${config.length}\r\n\r\n${config}`,
      );
      expect(downloads.heldBytes).toBeGreaterThan(6_000_000);
      client.destroy();
      await expect.poll(() => downloads.heldBytes).toBe(0);
    }
  });

  const readme = "\u0001".repeat(1_000_000); // six bytes each, as JSON
  const config = JSON.stringify({ "metadata.toml": { name: "shop", readme } });

  /** A client that has the beginning of its answer, and takes no more. */
  async function beginToRead(request: string): Promise<Socket> {
    const { hostname, port } = new URL(broker.url);
    const client = connect(Number(port), hostname).on("error", () => {}); // it is broken off
    client.write(request);
    const [head] = (await once(client, "data")) as [Buffer];
    client.pause();
    expect(head.toString("latin1", 0, 15)).toMatch(/^HTTP\/1.1 20[01]/);
    return client;
  }
});
