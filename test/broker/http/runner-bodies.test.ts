import { beforeAll, describe, expect, test } from "vitest";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { type TestDatabase, testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { type GivenRunner, givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";

let database: TestDatabase;
let broker: TestBroker;
let runner: GivenRunner;
let token: string;
let processId: string;

beforeAll(async () => {
  database = await testDatabase();
  broker = await startBroker({ url: database.url });
  runner = await givenRunner(database.db);
  processId = await givenProcess(database.db, runner);
  token = await givenToken(database.db, runner);
});

const beat = (body: unknown) =>
  broker.call(`POST /v1/runners/${runner.runnerId}/heart-beats`, { token, body });
const fields = () => ({
  alive_time: 1,
  version: "1.2.3",
  process: "install",
  process_id: processId,
});

describe("a body on a runner's route", () => {
  test("may have members that the broker does not know, of newer clients", async () => {
    expect((await beat({ ...fields(), shiny: { new: true } })).status).toBe(201);
  });

  test("has null for what is absent", async () => {
    expect((await beat({ ...fields(), version: null })).status).toBe(201);
  });

  test("may be null as a whole: a claim's is the word and a newline", async () => {
    const claimer = await givenRunner(database.db);
    await givenProcess(database.db, claimer, { isOurs: false });
    const jobId = await givenJob(database.db, claimer);
    const claimed = await broker.call(`POST /v1/runner-jobs/${jobId}/executions`, {
      token: await givenToken(database.db, claimer),
      body: "null\n",
    });
    expect(claimed).toMatchObject({ status: 201, body: { runner_job_id: jobId } });
  });

  test("is no body where a control plane writes null: it says what is missing", async () => {
    const what = `POST /v1/runners/${runner.runnerId}/jobs`;
    const admin = await givenToken(database.db, { orgId: runner.orgId });
    const answer = await broker.call(what, { token: admin, body: "null\n" });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/type" }] } });
  });

  test("may give a member twice: the last one counts", async () => {
    const text = JSON.stringify(fields()).replace("{", `{"version":"0.0.1",`);
    expect((await beat(text)).body).toMatchObject({ version: "1.2.3" });
  });

  test("loses what reaches for a prototype, and nothing else", async () => {
    const text = JSON.stringify(fields()).replace(
      "{",
      `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},`,
    );
    expect((await beat(text)).status).toBe(201);
    expect({}).not.toHaveProperty("polluted");
  });

  test.each([
    ["no JSON", `{"version": `, 400, "malformed_json"],
    ["deep nesting", `{"x":${"[".repeat(100)}${"]".repeat(100)}}`, 400, "too_deep"],
    ["a NUL", `{"version":"\\u0000"}`, 422, "invalid"],
    ["a wrong type", `{"version":{}}`, 422, "invalid"],
  ])("with %s is refused in the clients' own shape", async (_, body, status, code) => {
    const answer = await beat(body);
    expect(answer).toMatchObject({ status, body: { code, user_error: true } });
    expect(answer.body["error"]).toBe(answer.body["detail"]);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });
});
