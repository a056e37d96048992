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

test("neither one of another workspace nor what is no id is found", async () => {
  const other = await holdWorkspace(at);
  const theirs = `/v1/terraform-workspaces/${other.id}/state-json/${json?.id ?? ""}`;
  expect(await at.call(`GET ${theirs}`)).toMatchObject({ status: 404 });
  expect(await at.call(`GET ${path}/state-json/nope`)).toMatchObject({ status: 404 });
});
