import { beforeAll, describe, expect, test } from "vitest";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { routeRules } from "../../support/broker/route-rules.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { type GivenRunner, givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";
import { readRootFile } from "../../support/run/source-files.ts";
import { givenWorkspace, terraformLock } from "../../support/workspaces/given-workspace.ts";

type Schema = {
  readonly $ref?: string;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
};
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Schema }>> };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** What names a thing, filters or is a secret: cut, it would be another. */
const names =
  /(?:^|[_.])(?:id|ID|execution|executions|cursor|known_orders|takes_over|secret|owner_type|step|q)(?:\.|$)|^reportProgress\.steps\.\.name$/;

describe("a text of a runner's", () => {
  let at: GivenOperator;
  let token: string;
  let runner: GivenRunner;
  const long = "😀".repeat(10_001);

  beforeAll(async () => {
    at = await givenOperator();
    runner = await givenRunner(at.db, { orgId: at.orgId });
    token = await givenToken(at.db, runner);
  });

  test("is refused for its length by no route's schema", async () => {
    const { paths, components } = JSON.parse(await readRootFile("test/openapi.json")) as Document;
    const bounded = (schema: Schema | undefined, name: string): string[] => {
      if (schema === undefined) return [];
      const { $ref, maxLength, items, properties = {}, additionalProperties, anyOf = [] } = schema;
      const meant = components.schemas[$ref?.split("/").at(-1) ?? ""];
      return [
        ...(maxLength === undefined ? [] : [name]),
        ...bounded(meant, name),
        ...bounded(items, `${name}.`),
        ...bounded(additionalProperties, `${name}.`),
        ...anyOf.flatMap((one) => bounded(one, name)),
        ...Object.entries(properties).flatMap(([key, one]) => bounded(one, `${name}.${key}`)),
      ];
    };
    const rules = routeRules;
    const operations = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ operationId }) => rules[operationId]?.surface === "runner");
    expect(operations.length).toBeGreaterThan(30);
    const found = operations.flatMap(({ operationId, parameters = [], requestBody }) => [
      ...parameters
        .filter((one) => one.in === "query")
        .flatMap(({ name, schema }) => bounded(schema, `${operationId}?.${name}`)),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
        bounded(schema, operationId),
      ),
    ]);
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter((name) => !names.test(name))).toEqual([]);
  });

  test("is cut where it says how a job ended", async () => {
    const jobId = await givenJob(at.db, runner);
    const body = { status: "not-attempted", status_description: long };
    const moved = await at.call(`PATCH /v1/runner-jobs/${jobId}`, { token, body });
    expect(moved).toMatchObject({ status: 200, body: { status_description: "😀".repeat(8192) } });
  });

  test("is cut where a process says what it is, so that it is heard", async () => {
    const of = `/v1/runners/${runner.runnerId}`;
    const made = { type: "install", version: long };
    const registered = await at.call(`POST ${of}/processes`, { token, body: made });
    expect(registered).toMatchObject({ status: 201, body: { version: "😀".repeat(100) } });
    const process_id = await givenProcess(at.db, runner);
    const said = { process_id, process: long, version: long };
    const beat = await at.call(`POST ${of}/heart-beats`, { token, body: said });
    expect(beat).toMatchObject({ status: 201, body: { version: "😀".repeat(100) } });
    const checked = await at.call(`POST ${of}/health-checks`, { token, body: said });
    expect(checked).toMatchObject({ status: 201, body: { process: "😀".repeat(100) } });
    const asked = await at.call(`GET ${of}/sandbox-config?job_type=${"x".repeat(201)}`, { token });
    expect(asked.status).toBe(404);
  });

  test("is cut in a lock's words, and its id is never", async () => {
    const path = `POST /v1/terraform-workspaces/${await givenWorkspace(at)}/lock`;
    const body = { ...terraformLock(), Info: long };
    const locked = await at.call(path, { body });
    expect(locked).toMatchObject({ status: 200, body: { Info: "😀".repeat(2048) } });
    const refused = await at.call(path, { body: { ...body, ID: "x".repeat(201) } });
    expect(refused.status).toBe(422);
  });

  test("that is no duration is malformed, however long it is", async () => {
    const path = `GET /v1/runners/${runner.runnerId}/jobs/tail?wait=${"x".repeat(50)}`;
    expect((await at.call(path, { token })).status).toBe(400);
  });
});
