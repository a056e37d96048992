import { beforeAll, describe, expect, test } from "vitest";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
} from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const headers = { "content-type": "application/octet-stream" };
const statesOf = (id: string): string => `/v1/terraform-workspaces/${id}/states`;
const pathOf = (id: string): string => `/v1/runners/pulumi-state/${id}`;

/** A job of Pulumi that names this workspace. */
const givenPulumiJob = (id: string) =>
  givenStateJob(at, id, {
    plan: { pulumi: { pulumi_backend: { WorkspaceID: id } } },
    job: { type: "pulumi-deploy" },
  });

describe("a Pulumi state", () => {
  test("is what was written, and none before", async () => {
    const id = await givenWorkspace(at);
    const { token } = await givenPulumiJob(id);
    expect((await at.call(`GET ${pathOf(id)}`, { token })).status).toBe(204);
    const body = '{"version":3,"checkpoint":{}}';
    expect((await at.call(`POST ${pathOf(id)}`, { token, headers, body })).status).toBe(200);
    expect((await at.call(`GET ${pathOf(id)}`, { token })).body).toBe(body);
  });

  test("is bytes of no known kind, also where terraform's are read and written", async () => {
    const id = await givenWorkspace(at);
    const { token } = await givenPulumiJob(id);
    const body = "no JSON: \u00e9";
    const lock = { token, body: { ID: "l" } };
    expect((await at.call(`POST /v1/terraform-workspaces/${id}/lock`, lock)).status).toBe(200);
    const backend = backendPath(id, "l");
    expect((await at.call(`POST ${backend}`, { token, headers, body })).status).toBe(200);
    const [state] = (await at.call<{ items: { id: string }[] }>(`GET ${statesOf(id)}`)).body.items;
    for (const path of [backend, pathOf(id), `${statesOf(id)}/${state?.id}/contents`]) {
      const by = path.startsWith(statesOf(id)) ? at.token : token;
      const read = await fetch(at.broker.url + path, {
        headers: { authorization: `Bearer ${by}` },
      });
      expect(read.headers.get("content-type")).toBe("application/octet-stream");
      expect(await read.text()).toBe(body);
    }
  });

  test("is not written over a state of terraform's, by a person neither", async () => {
    const held = await holdWorkspace(at);
    const text = stateText({ serial: 5 });
    await held.write(text);
    await held.unlock();
    const { token } = await givenPulumiJob(held.id);
    for (const by of [token, at.token]) {
      const sent = { token: by, headers, body: "garbage" };
      const refused = await at.call(`POST ${pathOf(held.id)}`, sent);
      expect(refused).toMatchObject({ status: 409, body: { code: "state_is_terraform" } });
    }
    expect((await held.read()).text).toBe(text);
  });

  test("is reached by jobs of Pulumi only", async () => {
    const id = await givenWorkspace(at);
    const terraform = await givenStateJob(at, id);
    for (const token of [terraform.token, terraform.runnerToken]) {
      expect((await at.call(`GET ${pathOf(id)}`, { token })).status).toBe(404);
      const written = await at.call(`POST ${pathOf(id)}`, { token, headers, body: "garbage" });
      expect(written.status).toBe(404);
    }
    const plan = { terraform_backend: { WorkspaceID: id } };
    const sandbox = await givenStateJob(at, id, {
      plan,
      job: { type: "sandbox-pulumi", group: "deploy" },
    });
    const { token } = sandbox;
    expect((await at.call(`GET ${pathOf(id)}`, { token })).status).toBe(204);
  });
});
