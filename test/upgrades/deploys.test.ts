import { expect, test } from "vitest";
import { connect } from "../../broker/database/connect.ts";
import type { OrgId } from "../../broker/orgs/org-id.ts";
import type { WholeWorkflow } from "../../shared/api/workflow.ts";
import { type Call, send } from "../support/broker/broker.ts";
import { givenApplier } from "../support/deploys/given-applier.ts";
import { builtDocument, givenBuildsOf } from "../support/deploys/given-built-config.ts";
import { stepsOf } from "../support/deploys/steps-of.ts";
import { givenRunner } from "../support/rows/given.ts";
import { afterFile } from "../support/run/after-file.ts";
import { givenUpgrade } from "../support/upgrades/given-upgrade.ts";
import { type Build, keptNames, present, unpackBuild } from "../support/upgrades/kept-builds.ts";

test("a sandbox and what stands on it are deployed and taken away by a new broker beside two older ones, at which the runner polls", async () => {
  const [older, old] = (await Promise.all(keptNames.map(unpackBuild))) as [Build, Build];
  const given = await givenUpgrade(older);
  await given.svc(old, "migrate", "up");
  const { url: oldUrl } = await given.broker(old);
  await given.svc(present, "migrate", "up");
  const { url } = await given.broker(present, { SVC_REGISTRY: "http://127.0.0.1:9/acme" });
  const db = connect(given.databaseUrl, { max: 2 });
  afterFile(async () => await db.end());
  const call = <Body>(what: string, body?: object) => given.call<Body>(what, body, url);

  const app = await call<{ id: string; org_id: OrgId }>("POST /v1/apps", { name: "shop" });
  const config = await call<{ id: string }>(
    `POST /v1/apps/${app.id}/configs/sync`,
    builtDocument(["web"]),
  );
  await givenBuildsOf({ db, orgId: app.org_id, appId: app.id }, config.id);
  const slots = { actions: 4, deploy: 4, sandbox: 4, sync: 4 };
  const runner = await givenRunner(db, { orgId: app.org_id, parallelism: slots });
  const atOld = {
    call: async <Body>(what: string, how?: Call) => await send<Body>(oldUrl, what, how),
  };
  const { applied } = await givenApplier({ db, brokers: [atOld] }, runner, {
    outputs: () => ({ url: "u" }),
  });
  const ended = async (id: string): Promise<WholeWorkflow> => {
    const read = () => call<WholeWorkflow>(`GET /v1/workflows/${id}`);
    await expect.poll(async () => (await read()).finished, { interval: 100 }).toBe(true);
    return await read();
  };
  const made = await call<{ id: string; workflow_id: string }>(`POST /v1/apps/${app.id}/installs`, {
    name: "acme",
    runner_group_id: runner.groupId,
    install_config: { approval_option: "approve-all" },
  });
  const provisioned = await ended(made.workflow_id);
  const begun = await call<{ workflow_id: string }>(`POST /v1/installs/${made.id}/deprovision`, {});
  const gone = await ended(begun.workflow_id);
  expect([provisioned.status.status, gone.status.status]).toEqual(["success", "success"]);
  expect(stepsOf(gone)).toEqual([
    "plan teardown web: approved",
    "teardown web: success",
    "deprovision sandbox plan: approved",
    "deprovision sandbox apply plan: success",
  ]);
  expect(applied.map(({ component }) => component)).toEqual(["", "web", "web", ""]);
  // The older ones have nothing to do with it, and tried nothing.
  const [tried] = await db<{ faults: number }[]>`
    select sum(w.faults)::int as faults from workflows w where w.org_id = ${app.org_id} and w.type in ('provision', 'deprovision')`;
  expect(tried).toEqual({ faults: 0 });
});
