import { expect } from "vitest";
import { givenRunner } from "../rows/given.ts";
import type { givenWorkflowsApi } from "../workflows/workflows-api.ts";
import { givenApplier } from "./given-applier.ts";
import { givenBuildsOf } from "./given-built-config.ts";

type Setup = Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"];
type Before = (org: Awaited<ReturnType<Setup>>) => Promise<void>;

/** An install of an app of this config, whose parts are built and whose runner plans and applies; `before` comes before its provision. */
export async function givenApplied(
  setup: Setup,
  document: object,
  how: Parameters<typeof givenApplier>[2] = {},
  before: Before = () => Promise.resolve(),
) {
  const org = await setup({ "metadata.toml": { name: "shop" } });
  const synced = await org.sync(document);
  expect(synced.status).toBe(201);
  await givenBuildsOf(org, synced.body.id);
  const slots = { actions: 4, deploy: 4, sandbox: 4 };
  const runner = await givenRunner(org.db, { orgId: org.orgId, parallelism: slots });
  const applier = await givenApplier(org, runner, how);
  await before(org);
  const made = await org.create({
    runner_group_id: runner.groupId,
    install_config: { approval_option: "approve-all" },
    inputs: {},
  });
  expect(made.status).toBe(201);
  const { id, workflow_id: provision = "" } = made.body;
  const begin = async (what: string, body: object = {}) => {
    const [method = "", path = ""] = what.split(" ");
    const answer = await org.api<{ workflow_id: string }>(
      `${method} /v1/installs/${id}${path}`,
      body,
    );
    expect([what, answer.status < 300]).toEqual([what, true]);
    return answer.body.workflow_id;
  };
  const ended = (workflow: string) =>
    org.reach(workflow, "success", "error", "failed-pending-retry", "cancelled");
  return { ...org, ...applier, id, provision, begin, ended };
}
