import { expect, onTestFinished, test } from "vitest";
import type { WholeWorkflow } from "../../shared/api/workflow.ts";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { givenApplier } from "../support/deploys/given-applier.ts";
import { givenBuiltConfig } from "../support/deploys/given-built-config.ts";
import { givenRunner } from "../support/rows/given.ts";
import { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const registry = { SVC_REGISTRY: "http://127.0.0.1:9/acme" };
const { db, url, setup } = await givenWorkflowsApi({ env: registry });

async function start(): Promise<BrokerProcess> {
  const broker = await startBrokerProcess(url, { settings: registry });
  onTestFinished(() => broker.kill());
  return broker;
}

test("brokers killed in the middle of a provision carry out each plan once, and what is approved alone", async () => {
  const org = await setup({ "metadata.toml": { name: "shop" } });
  const names = ["one", "two", "three"];
  await givenBuiltConfig(org, names);
  const slots = { deploy: 4, sandbox: 4 };
  const runner = await givenRunner(db, { orgId: org.orgId, parallelism: slots });
  const { applied, planned } = await givenApplier(org, runner, {
    outputs: (component) => ({ url: component }),
  });
  const made = await org.create({
    runner_group_id: runner.groupId,
    install_config: { approval_option: "approve-all" },
    inputs: {},
  });
  expect(made.status).toBe(201);
  const { workflow_id: id = "" } = made.body;
  const read = async () => (await org.api<WholeWorkflow>(`GET /v1/workflows/${id}`)).body;
  for (let round = 0; round < 4; round++) {
    const dying = await start();
    const before = applied.length + planned.length;
    await until(async () => {
      const seen = await read();
      return applied.length + planned.length > before || seen.finished;
    });
    await dying.kill(); // while it moves it
  }
  await until(async () => {
    await advanceClock(db, "5 seconds"); // a killed broker's tasks come back by their clocks
    return (await read()).finished;
  });
  const ended = await read();
  expect([ended.status.status, ended.composite_error]).toEqual(["success", undefined]);
  expect(applied.map(({ component }) => component)).toEqual(["", ...names.toSorted()]);
  expect(new Set(applied.map(({ contents }) => contents)).size).toBe(applied.length);
  expect(planned).toHaveLength(applied.length);
  const [told] = await db<{ deploys: number; deployed: number; starts: number; ends: number }[]>`
    select (select count(*)::int from install_deploys d where d.workflow_id = ${id} and d.status = 'active') as deploys,
           (select count(*)::int from install_components c where c.deployed_id is not null and c.org_id = ${org.orgId}) as deployed,
           count(*) filter (where e.transition = 'started')::int as starts,
           count(*) filter (where e.transition = 'succeeded')::int as ends
      from events e where e.workflow_id = ${id}`;
  const count = names.length + 1;
  expect(told).toMatchObject({ deploys: count, deployed: count });
  expect(told?.starts).toBe(told?.ends);
});
