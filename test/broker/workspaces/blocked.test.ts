import { beforeAll, expect, test } from "vitest";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const reason = "apply was killed";
const block = (id: string) =>
  at.call(`POST /v1/terraform-workspaces/${id}/block`, { body: { reason } });
const refused = { status: 423, body: { code: "workspace_blocked", Info: reason } };

test("a blocked workspace takes nothing from a job in sandbox mode, nor from Pulumi", async () => {
  const [id, other] = [await givenWorkspace(at), await givenWorkspace(at)];
  const plan = {
    terraform: { terraform_backend: { WorkspaceID: id } },
    sandbox_mode: { enabled: true },
  };
  const sandbox = await givenStateJob(at, id, { plan });
  const pulumi = await givenStateJob(at, other, {
    plan: { pulumi: { pulumi_backend: { WorkspaceID: other } } },
    job: { type: "pulumi-deploy" },
  });
  await block(id);
  await block(other);
  const body = stateText({ serial: 1 });
  const write = (path: string, token: string) => at.call(`POST ${path}`, { token, body });
  expect(await write(backendPath(id), sandbox.token)).toMatchObject(refused);
  const path = `/v1/runners/pulumi-state/${other}`;
  expect(await write(path, pulumi.token)).toMatchObject(refused);
  expect(await write(path, at.token)).toMatchObject(refused);
  for (const one of [id, other]) {
    await at.call(`POST /v1/terraform-workspaces/${one}/unblock`, { body: { reason: "looked" } });
  }
  expect((await write(backendPath(id), sandbox.token)).status).toBe(200);
  expect((await write(path, pulumi.token)).status).toBe(200);
});

test("a blocked workspace is not deleted, nor its state, under the lock neither; its holder saves", async () => {
  const id = await givenWorkspace(at);
  const { token } = await givenStateJob(at, id);
  const lock = terraformLock();
  await at.call(`POST /v1/terraform-workspaces/${id}/lock`, { token, body: lock });
  await block(id);
  const write = { token, body: stateText({ serial: 1 }) };
  expect((await at.call(`POST ${backendPath(id, lock.ID)}`, write)).status).toBe(200);
  expect(await at.call(`DELETE ${backendPath(id, lock.ID)}`, { token })).toMatchObject(refused);
  await at.call(`POST /v1/terraform-workspaces/${id}/unlock`, { token, body: lock });
  for (const by of [token, at.token]) {
    expect(await at.call(`DELETE ${backendPath(id)}`, { token: by })).toMatchObject(refused);
  }
  expect(await at.call(`DELETE /v1/terraform-workspaces/${id}`)).toMatchObject(refused);
  expect((await at.call(`GET ${backendPath(id)}`)).status).toBe(200);
});

test("a blocked workspace is rolled back by an operator: that is how it is mended", async () => {
  const held = await holdWorkspace(at);
  for (const serial of [1, 2]) await held.write(stateText({ serial }));
  await held.unlock();
  await block(held.id);
  const body = { revision: 1, reason: "2 is half of it" };
  const path = `POST /v1/terraform-workspaces/${held.id}/rollback`;
  expect((await at.call(path, { body })).status).toBe(200);
  expect((await held.revisions())[0]).toMatchObject({ revision: 3, rolled_back_from: 1 });
});
