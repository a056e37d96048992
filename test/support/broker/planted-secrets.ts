import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../workspaces/given-workspace.ts";
import type { GivenOperator } from "./given-operator.ts";

/** A word that no dump may show. */
export const planted = "hunter2-hunter2-hunter2";

/** Every value of every table of the database, as text and as bytes. */
export async function dumpOf({ db }: Pick<GivenOperator, "db">): Promise<string> {
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

/** Where it was planted. */
export type Planted = {
  /** The workspace. */
  readonly id: string;
  readonly jobId: string;
  /** Paths of the API. */
  readonly execution: string;
  readonly result: string;
  readonly record: string;
};

/** Plants the word wherever something is sealed. */
export async function plant(by: GivenOperator): Promise<Planted> {
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
  const execution = `/v1/runner-jobs/${job.jobId}/executions/${job.executionId}`;
  const result = `${execution}/result`;
  for (const contents of [planted, `${planted} once more`]) {
    const body = {
      success: true,
      contents,
      contents_compressed: Buffer.from(planted).toString("base64"),
    };
    expect((await by.call(`POST ${result}`, { token, body })).status).toBe(201);
  }
  for (const value of [planted, `${planted} once more`]) {
    const body = { outputs: { db_password: { value, sensitive: true, type: "string" } } };
    expect((await by.call(`POST ${execution}/outputs`, { token, body })).status).toBe(201);
  }
  return { id, jobId: job.jobId, execution, result, record: await plantRecord(by) };
}

async function plantRecord(by: GivenOperator): Promise<string> {
  const chart = await by.call<{ id: string }>("POST /v1/helm-charts", { body: {} });
  const path = `/v1/helm-releases/${chart.body.id}/releases/apps/sh.helm.release.v1.web.v1`;
  const body = {
    name: "web",
    info: { status: "deployed" },
    version: 1,
    chart: { values: planted },
  };
  expect((await by.call(`POST ${path}`, { body })).status).toBe(201);
  return path;
}

/** Reads all of it through a broker: each answer has the word. */
export async function expectAllThere(
  call: GivenOperator["call"],
  { id, jobId, execution, result, record }: Planted,
): Promise<void> {
  const workspace = `/v1/terraform-workspaces/${id}`;
  const contents = [1, 2].map((revision) => `${workspace}/states/${revision}/contents`);
  const job = `/v1/runner-jobs/${jobId}`;
  const paths = [job, `${job}/plan`, execution, result, record, `${workspace}/state-json`];
  for (const path of [...paths, ...contents, backendPath(id)]) {
    const { status, body } = await call(`GET ${path}`);
    const hasWord = path === job || JSON.stringify(body).includes(planted);
    expect({ path, status, hasWord }).toEqual({ path, status: 200, hasWord: true });
  }
}
