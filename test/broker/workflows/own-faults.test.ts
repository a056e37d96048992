import { expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({ env: { SVC_LOG_LEVEL: "fatal" } });

/** A workflow that waits for an approval, and whose sealed order can be spoilt. */
async function given() {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const id = (await org.run(installId, "careful")).body.workflow_id;
  await org.reach(id, "approval-awaiting");
  const look = () => db`select wake_workflow(${org.orgId}, ${id})`;
  const faults = async (): Promise<number> => {
    const [row] = await db<{ faults: number }[]>`select faults from workflows where id = ${id}`;
    return row?.faults ?? -1;
  };
  const spoil = () => db`update workflow_givens set contents = 'spoilt' where workflow_id = ${id}`;
  const setFaults = (n: number) =>
    db`update workflows set faults = ${n}, version = version + 1 where id = ${id}`;
  return { ...org, id, look, faults, spoil, setFaults };
}

test("after ten faults of the broker in a row a workflow is cancelled, says why, and gives up its place", async () => {
  const { id, orgId, look, faults, spoil, setFaults, reach } = await given();
  await spoil();
  await setFaults(9);
  await look();
  await until(async () => (await faults()) >= 10);
  await look();
  const ended = await reach(id, "cancelled");
  expect(ended.composite_error).toMatchObject({ code: "internal", severity: "fatal" });
  expect(ended.steps.map(({ status }) => status.status)).toEqual([
    "success",
    "cancelled",
    "cancelled",
  ]);
  const places = await db`
    select from queue_signal_live l join workflows w on w.signal_id = l.id where w.id = ${id}`;
  expect(places).toHaveLength(0);
  const told = await db<{ transition: string }[]>`
    select transition from events where org_id = ${orgId} and workflow_id = ${id} and kind = 'workflow' order by tx, n`;
  expect(told.map(({ transition }) => transition)).toEqual(["started", "cancelled"]);
});

test("faults with a good look between them are none in a row", async () => {
  const { id, look, faults, setFaults, read } = await given();
  await setFaults(9);
  await look();
  await until(async () => (await faults()) === 0);
  expect((await read(id)).body.status.status).toBe("approval-awaiting");
});
