import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { StateDiff, StateResource } from "../../../shared/api/terraform-revisions.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { withSmallChildren } from "../../support/work/with-small-children.ts";
import { stateText } from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const resource = (type: string, attributes: object, marks: unknown = []) => ({
  mode: "managed",
  type,
  name: "it",
  provider: "x",
  instances: [{ schema_version: 0, attributes, sensitive_attributes: marks }],
});

/** As the kubernetes provider keeps one; `object` is what the cluster answered. */
const kubernetesSecret = (word: string) => ({
  manifest: { value: { kind: "Secret", data: { db: word } }, type: ["object", {}] },
  object: { value: { kind: "Secret", data: { db: word } }, type: ["object", {}] },
});

describe("who may only read", () => {
  test("sees no secret in resources, outputs or a comparison", async () => {
    const held = await holdWorkspace(at);
    const state = (serial: number) =>
      JSON.stringify({
        version: 4,
        serial,
        lineage: "one",
        outputs: {
          db: { value: { username: "u", password: `hunter2-${serial}` }, type: ["object", {}] },
          url: { value: `postgres://u:hunter2-${serial}@h/db`, type: "string" },
          api_token: { value: `hunter2-${serial}`, type: "string" },
        },
        resources: [
          resource("random_password", { id: "none", result: `hunter2-${serial}` }),
          resource("x_service", {
            passwords: [`hunter2-${serial}`],
            env: JSON.stringify([{ name: "DB_PASSWORD", value: `hunter2-${serial}` }]),
          }),
          resource("x_marked", { list: [`hunter2-${serial}`] }, [
            [
              { type: "get_attr", value: "list" },
              { type: "index", value: { value: 0, type: "number" } },
            ],
          ]),
          resource("kubernetes_manifest", kubernetesSecret(`hunter2-${serial}`), [
            ["manifest", "data", "db"].map((value) => ({ type: "get_attr", value })),
          ]),
          resource("x_marked_oddly", { any: `hunter2-${serial}` }, "all of it"),
        ],
      });
    expect((await held.write(state(1))).status).toBe(200);
    expect((await held.write(state(2))).status).toBe(200);
    const token = await givenToken(at.db, { orgId: at.orgId, role: "org_read_only" });
    const path = `/v1/terraform-workspaces/${held.id}`;
    for (const what of ["states/1/resources", "states/1/outputs", "diff"]) {
      const { status, body } = await at.call(`GET ${path}/${what}`, { token });
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain("hunter2");
    }
  });
});

describe("a comparison", () => {
  type Object = { readonly id: string; readonly deposed?: string; readonly status?: string };

  /** Writes states of one resource, each with these objects of it. */
  async function setup(...states: Object[][]) {
    const held = await holdWorkspace(at);
    for (const [n, objects] of states.entries()) {
      const instances = objects.map(({ id, ...more }) => ({ attributes: { id }, ...more }));
      const state = { serial: n + 1, resources: [{ ...resource("aws_instance", {}), instances }] };
      expect((await held.write(JSON.stringify(state))).status).toBe(200);
    }
    const path = `/v1/terraform-workspaces/${held.id}`;
    return async (from: number) => {
      const diff = await at.call<StateDiff>(`GET ${path}/diff?from=${from}&to=${from + 1}`);
      return diff.body.resources;
    };
  }

  test("tells an object that was replaced from the one in its place, until it is destroyed", async () => {
    const replaced = { id: "i-1", deposed: "0123abcd" };
    const diff = await setup([{ id: "i-1" }], [{ id: "i-2" }, replaced], [{ id: "i-2" }]);
    const address = "aws_instance.it (deposed object 0123abcd)";
    expect(await diff(1)).toEqual([
      {
        address: "aws_instance.it",
        change: "changed",
        attributes: [{ name: "id", before: "i-1", after: "i-2" }],
      },
      { address, change: "added", attributes: [{ name: "id", after: "i-1" }] },
    ]);
    expect(await diff(2)).toEqual([
      { address, change: "removed", attributes: [{ name: "id", before: "i-1" }] },
    ]);
  });

  test("tells what became tainted, and what is no more", async () => {
    const tainted = { id: "i-1", status: "tainted" };
    const diff = await setup([{ id: "i-1" }], [tainted], [{ id: "i-1" }]);
    const changed = { address: "aws_instance.it", change: "changed", attributes: [] };
    expect(await diff(1)).toEqual([{ ...changed, status: { before: "", after: "tainted" } }]);
    expect(await diff(2)).toEqual([{ ...changed, status: { before: "tainted", after: "" } }]);
  });
});

test("a state of terraform 0.13, which marks nothing, is looked into as any other", async () => {
  const held = await holdWorkspace(at);
  const { type, name, provider, mode } = resource("null_resource", {});
  const instances = [{ schema_version: 0, attributes: { id: "1" }, private: "bnVsbA==" }];
  const state = {
    version: 4,
    terraform_version: "0.13.7",
    serial: 1,
    lineage: "one",
    outputs: { a: { type: "string" }, b: { value: "x" }, c: { sensitive: true } },
    resources: [{ mode, type, name, provider, instances }],
  };
  await held.write(JSON.stringify(state));
  const path = `/v1/terraform-workspaces/${held.id}/states/1`;
  const resources = await at.call<StateResource[]>(`GET ${path}/resources`);
  expect(resources.body[0]?.instances).toMatchObject([
    { attributes: { id: "1" }, sensitive_attributes: [] },
  ]);
  expect((await at.call(`GET ${path}/outputs`)).body).toEqual([
    { name: "a", type: "string", sensitive: false, value: null },
    { name: "b", type: null, sensitive: false, value: "x" },
    { name: "c", type: null, sensitive: true },
  ]);
});

describe("a large state", () => {
  test("is looked into and compared as a small one is", async () => {
    const held = await holdWorkspace(at);
    const padding = randomBytes(2_000_000).toString("base64");
    await held.write(stateText({ serial: 1, padding }));
    await held.write(stateText({ serial: 2, padding: `${padding} more`, secret: "hunter2" }));
    const path = `/v1/terraform-workspaces/${held.id}`;
    const resources = await at.call<StateResource[]>(`GET ${path}/states/2/resources`);
    const [instance] = resources.body[0]?.instances ?? [];
    expect(instance?.attributes).toMatchObject({ id: "r-2", input: "(sensitive)" });
    expect(instance?.attributes["padding"] === `${padding} more`).toBe(true);
    const diff = (await at.call<StateDiff>(`GET ${path}/diff`)).body;
    expect([diff.from.revision, diff.to.revision]).toEqual([1, 2]);
    expect(diff.resources).toHaveLength(1);
    expect(diff.resources[0]?.attributes.map(({ name }) => name)).toEqual(["id", "padding"]);
    expect(diff.outputs.map(({ name }) => name)).toEqual(["url"]);
  });

  test("that needs more memory than a child may have is refused: another org's is read meanwhile", async () => {
    withSmallChildren(at.broker.broker);
    const orgId = await givenOrg(at.db);
    const token = await givenToken(at.db, { orgId, role: "org_admin" });
    const call: GivenOperator["call"] = (what, asked) => at.broker.call(what, { token, ...asked });
    const neighbour = { ...at, orgId, token, call };
    const [held, other] = [await holdWorkspace(at), await holdWorkspace(neighbour)];
    const values = `[${"{},".repeat(2_000_000)}{}]`;
    const outputs = `{"a":{"value":${values},"type":"dynamic"}}`;
    const state = `{"version":4,"serial":1,"lineage":"one","outputs":${outputs},"resources":[]}`;
    expect((await held.write(state)).status).toBe(200);
    await other.write(stateText({ serial: 1, padding: randomBytes(500_000).toString("base64") }));
    const refused = at.call(`GET /v1/terraform-workspaces/${held.id}/states/1/outputs`);
    const path = `/v1/terraform-workspaces/${other.id}/states/1/outputs`;
    expect((await neighbour.call(`GET ${path}`)).status).toBe(200);
    const tooLarge = { status: 409, body: { code: "state_too_large_to_read" } };
    expect(await refused).toMatchObject(tooLarge);
    expect(at.broker.logged.filter((line) => line.includes("work was given up"))).toEqual([]);
  });

  test("is read by a few at once only: others are told to come again", async () => {
    const held = await holdWorkspace(at);
    await held.write(stateText({ serial: 1, padding: randomBytes(500_000).toString("base64") }));
    const path = `/v1/terraform-workspaces/${held.id}/states/1/outputs`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => at.call(`GET ${path}`)));
    const told = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(5);
    expect(told.length).toBeGreaterThan(0);
    for (const { headers, body } of told) {
      expect(headers.get("retry-after")).toBe("5");
      expect(body["code"]).toBe("busy");
    }
    expect((await at.call(`GET ${path}`)).status).toBe(200);
  });
});
