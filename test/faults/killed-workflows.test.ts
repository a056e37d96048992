import { expect, onTestFinished, test } from "vitest";
import type { WholeWorkflow } from "../../shared/api/workflow.ts";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { givenInstall, givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const { db, url, setup } = await givenWorkflowsApi();

async function start(): Promise<BrokerProcess> {
  const broker = await startBrokerProcess(url);
  onTestFinished(() => broker.kill());
  return broker;
}

test("brokers killed in the middle of workflows lose none, run nothing twice, and tell each end once", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const ids: string[] = [];
  for (let round = 0; round < 4; round++) {
    const dying = await start();
    const begun = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        send<{ workflow_id: string }>(dying.url, `POST /v1/installs/${installId}/actions/runs`, {
          token: org.token,
          body: { name: "greet" },
        }),
      ),
    );
    for (const one of begun)
      if (one.status === "fulfilled" && one.value.status === 201)
        ids.push(one.value.body.workflow_id);
    await dying.kill(); // while it moves them
  }
  expect(ids.length).toBeGreaterThan(0);
  const statusOf = async (id: string) =>
    (await org.api<WholeWorkflow>(`GET /v1/workflows/${id}`)).body.status.status;
  await until(async () => {
    await advanceClock(db, "5 seconds"); // a killed broker's tasks come back by their clocks
    const statuses = await Promise.all(ids.map(statusOf));
    return statuses.every((status) => status === "success");
  });
  const [told] = await db<{ starts: number; ends: number; jobs: number; steps: number }[]>`
    select count(*) filter (where e.kind = 'workflow' and e.transition = 'started')::int as starts,
           count(*) filter (where e.kind = 'workflow' and e.transition = 'succeeded')::int as ends,
           (select count(*)::int from runner_jobs j where j.workflow_id = any(${ids})) as jobs,
           (select count(*)::int from workflow_steps s where s.workflow_id = any(${ids}) and s.kind = 'action') as steps
      from events e where e.workflow_id = any(${ids})`;
  const { length: count } = ids;
  expect(told).toEqual({ starts: count, ends: count, jobs: count, steps: count });
});
