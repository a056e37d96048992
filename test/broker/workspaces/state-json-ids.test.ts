import { expect, test } from "vitest";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { stateText } from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

const at = await givenOperator();
const held = await holdWorkspace(at);
const path = `/v1/terraform-workspaces/${held.id}`;
const shown = { format_version: "1.0", values: {} };
await held.write(stateText({ serial: 1 }));
await at.call(`POST ${path}/state-json`, { body: shown });
const [state] = await held.revisions();
const [json] = await at.db<{ id: string }[]>`
  select id from terraform_workspace_state_jsons where workspace_id = ${held.id}`;
const spellings = (id: string) => [
  `${path}/state-json/${id}`,
  `${path}/state-json/${id}/raw`,
  `/v1/runners/terraform-workspace/${held.id}/state-json/${id}`,
];

test.each([state?.id, "1", "current"])("a state is read by state-json/%s", async (id = "") => {
  for (const one of spellings(id))
    expect(await at.call(`GET ${one}`)).toMatchObject({ status: 200, body: { serial: 1 } });
});

test("the output of terraform show -json is read by its id, until the next", async () => {
  const id = json?.id ?? "";
  for (const one of spellings(id))
    expect(await at.call(`GET ${one}`)).toMatchObject({ status: 200, body: shown });
  await at.call(`POST ${path}/state-json`, { body: { ...shown, serial: 2 } });
  for (const one of spellings(id))
    expect(await at.call(`GET ${one}`)).toMatchObject({
      status: 404,
      body: { code: "state_not_found" },
    });
});

test("what is kept of it is listed where clients ask for a list, and its resources are the state's", async () => {
  const [kept] = await at.db<{ id: string }[]>`
    select id from terraform_workspace_state_jsons where workspace_id = ${held.id}`;
  const id = kept?.id ?? "";
  for (const query of ["limit=10", "offset=0", "page=0&limit=5"])
    expect(await at.call(`GET ${path}/state-json?${query}`)).toMatchObject({
      status: 200,
      body: [{ id, workspace_id: held.id, size_bytes: expect.any(Number) as number }],
    });
  expect((await at.call(`GET ${path}/state-json?page=1&limit=5`)).body).toEqual([]);
  expect((await at.call(`GET ${path}/state-json?limit=0`)).status).toBe(422);
  expect((await at.call(`GET ${path}/state-json`)).body).toMatchObject({ serial: 2 }); // the bytes, as ever
  const resources = (await at.call(`GET ${path}/states/current/resources`)).body;
  for (const one of spellings(id).filter((spelling) => !spelling.endsWith("/raw")))
    expect(await at.call(`GET ${one}/resources`)).toMatchObject({ status: 200, body: resources });
});

test("neither one of another workspace nor what is no id is found", async () => {
  const other = await holdWorkspace(at);
  const theirs = `/v1/terraform-workspaces/${other.id}/state-json/${json?.id ?? ""}`;
  expect(await at.call(`GET ${theirs}`)).toMatchObject({ status: 404 });
  expect(await at.call(`GET ${path}/state-json/nope`)).toMatchObject({ status: 404 });
});
