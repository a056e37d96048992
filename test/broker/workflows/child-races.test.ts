import { describe, expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import { beginTree, childrenOf, childStep, subtree } from "../../support/workflows/given-tree.ts";
import { givenInstall, givenWorkflowsApi, stepIn } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({ brokers: 2 });

const provision = (install_id: string) => ({ key: install_id, type: "provision", install_id });

/** Installs whose agents end jobs as `how` says. */
async function given(names: readonly string[]) {
  const org = await setup();
  const how = { ends: "finished" as "finished" | "failed" | "held" };
  const installs: Awaited<ReturnType<typeof givenInstall>>[] = [];
  for (const name of names) installs.push(await givenInstall(org, { name, ends: () => how.ends })); // in the order of their ids
  const at = (n: number) => {
    const install = installs[n];
    if (install === undefined) throw new Error(`there are fewer than ${n} installs`);
    return install;
  };
  const firstChild = async (id: string) => {
    const [child] = await childrenOf(org, id);
    if (child === undefined) throw new Error("it has no children");
    return child;
  };
  const retry = async (id: string) => {
    const { id: step } = stepIn((await org.read(id)).body, "failed-pending-retry");
    expect((await org.api(`POST /v1/workflows/${id}/steps/${step}/retry`)).status).toBe(201);
  };
  const endHeld = async (n: number, end: "finished" | "failed") => {
    await until(() => Promise.resolve(at(n).agent.held.length > 0));
    const [job] = at(n).agent.held.splice(0);
    if (job !== undefined) await at(n).agent.end(job, end);
  };
  return { ...org, how, at, firstChild, retry, endHeld };
}

describe("parents that begin children", () => {
  test("in each other's installs at once wait for no lock of each other", async () => {
    const org = await given(["all", "one", "two"]);
    const [all, one, two] = [org.at(0).installId, org.at(1).installId, org.at(2).installId];
    await db`create table faulty (id text)`;
    await db`
      create or replace function note_fault() returns trigger language plpgsql as $$
      begin insert into faulty values (new.id); return new; end $$`;
    await db`
      create trigger note_fault after update on workflows for each row when (new.faults > old.faults)
      execute function note_fault()`;
    const ids: string[] = [];
    await db.begin(async (held) => {
      await held`select from installs where id = ${all} for update`;
      ids.push(await beginTree(org, one, { children: [provision(all), provision(two)] }));
      ids.push(await beginTree(org, two, { children: [provision(all), provision(one)] }));
      await until(async () => {
        const waiting = await db`
          select from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%write_workflow%'`;
        return waiting.length === 2;
      });
    });
    for (const id of ids) await until(async () => (await childrenOf(org, id)).length === 2);
    expect(await db`select * from faulty`).toEqual([]);
    for (const id of ids) await org.api(`POST /v1/workflows/${id}/cancel`); // each waits for the other's lane
    for (const id of ids) await org.reach(id, "cancelled", "success");
  });
});

describe("a step that is cancelled", () => {
  test("begins no other when what runs of it succeeds all the same", async () => {
    const org = await given(["hub", "one", "two"]);
    org.how.ends = "held";
    const children = [provision(org.at(1).installId), provision(org.at(2).installId)];
    const id = await beginTree(org, org.at(0).installId, { children, max_parallel: 1 });
    await until(() => Promise.resolve(org.at(1).agent.held.length > 0));
    const child = await org.firstChild(id);
    const { id: step } = childStep((await org.read(id)).body);
    let cancelled: Promise<unknown> | undefined;
    await db.begin(async (held) => {
      await held`select from workflows where id = ${child.id} for update`;
      cancelled = org.api(`POST /v1/workflows/${id}/steps/${step}/cancel`);
      await until(async () => {
        const waiting = await db`
          select from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%cancel_children%'`;
        return waiting.length > 0;
      });
      await held`
        update workflows set status = 'success', finished_at = svc_now(), version = version + 1 where id = ${child.id}`;
      await held`select wake_workflow(${org.orgId}, ${id})`;
    });
    await cancelled;
    const ended = await org.reach(id, "error");
    expect(childStep(ended).status.status).toBe("cancelled");
    expect((await childrenOf(org, id)).map((one) => one.id)).toEqual([child.id]);
  });

  test("cancels what an earlier try of it has begun, and begins it no more", async () => {
    const org = await given(["hub", "one"]);
    org.how.ends = "failed";
    const id = await beginTree(org, org.at(0).installId, {
      children: [provision(org.at(1).installId)],
    });
    await org.reach(id, "failed-pending-retry");
    const child = await org.firstChild(id);
    org.how.ends = "held";
    await org.retry(child.id);
    await until(() => Promise.resolve(org.at(1).agent.held.length > 0));
    await org.retry(id);
    await until(async () => childStep((await org.read(id)).body).status.status === "in-progress");
    const { id: step } = childStep((await org.read(id)).body);
    await org.api(`POST /v1/workflows/${id}/steps/${step}/cancel`);
    await until(async () => (await org.firstChild(id)).cancelling);
    await org.endHeld(1, "finished");
    const ended = await org.reach(id, "error");
    expect(childStep(ended).status.status).toBe("cancelled");
    expect(await childrenOf(org, id)).toHaveLength(1);
  });
});

describe("a place in a lane", () => {
  test("that a workflow above has given up is none for what is begun later", async () => {
    const org = await given(["hub", "one"]);
    const [hub, one] = [org.at(0).installId, org.at(1).installId];
    org.how.ends = "failed";
    const id = await beginTree(org, hub, {
      children: [subtree("middle", one, [provision(one), provision(hub)])].map((middle) => ({
        ...middle,
        params: { ...middle.params, max_parallel: 1 },
      })),
    });
    const failed = await org.reach(id, "failed-pending-retry");
    const middle = await org.firstChild(id);
    await org.api(`POST /v1/workflows/${id}/steps/${childStep(failed).id}/skip`);
    await org.reach(id, "success");
    org.how.ends = "finished";
    await org.retry(middle.id);
    await org.reach(middle.id, "success");
  });

  test("is not kept by a child that fails after its parent has finished", async () => {
    const org = await given(["hub"]);
    const hub = org.at(0).installId;
    org.how.ends = "failed";
    const id = await beginTree(org, hub, { children: [provision(hub)] });
    const failed = await org.reach(id, "failed-pending-retry");
    const child = await org.firstChild(id);
    org.how.ends = "held";
    await org.retry(child.id);
    await until(() => Promise.resolve(org.at(0).agent.held.length > 0));
    await org.api(`POST /v1/workflows/${id}/steps/${childStep(failed).id}/skip`);
    await org.reach(id, "success");
    const next = await org.api<{ workflow_id: string }>(`POST /v1/installs/${hub}/reprovision`, {});
    org.how.ends = "finished";
    await org.endHeld(0, "failed");
    await org.reach(child.id, "cancelled");
    await org.reach(next.body.workflow_id, "success");
  });
});

test("lanes that are full, however many, are no fault of the broker", async () => {
  const org = await given(["hub"]);
  const fulls: string[] = [];
  for (let n = 0; n < 24; n++) {
    const { id } = (await org.create({ name: `full-${n}`, start: false })).body;
    fulls.push(id);
  }
  await db`
    update queue_counters set max_depth = 1, waiting = 1
     where queue_id in (select id from queues where install_id = any(${fulls}) and name = 'changes')`;
  const id = await beginTree(org, org.at(0).installId, {
    children: fulls.map(provision),
    max_parallel: 1,
  });
  await until(async () =>
    (await org.read(id)).body.steps.some(({ deadline_at: again }) => again !== null),
  );
  const [row] = await db<{ faults: number }[]>`select faults from workflows where id = ${id}`;
  expect(row?.faults).toBe(0);
  await org.api(`POST /v1/workflows/${id}/cancel`);
  await org.reach(id, "cancelled");
});

test("many children are begun by several statements, and a cancel waits for none of them", async () => {
  const org = await given(["hub", "one"]);
  const lane = db`select id from queues where install_id = ${org.at(1).installId} and name = 'changes'`;
  await db`update queue_counters set max_depth = 1000, is_paused = true where queue_id = (${lane})`;
  const children = Array.from({ length: 250 }, (_, n) => ({
    ...provision(org.at(1).installId),
    key: `child-${n}`,
  }));
  const id = await beginTree(org, org.at(0).installId, { children });
  const count = async () => {
    const [row] = await db<{ all: number; statements: number; cancelling: number }[]>`
      select count(*)::int as all, count(distinct created_at)::int as statements,
             count(*) filter (where is_cancelling)::int as cancelling
        from workflows where parent_id = ${id}`;
    return row;
  };
  await until(async () => (await count())?.all === 250);
  expect(await count()).toEqual({ all: 250, statements: 2, cancelling: 0 });
  expect((await org.api(`POST /v1/workflows/${id}/cancel`)).status).toBe(202);
  expect((await count())?.cancelling).toBe(250);
  expect((await org.read(id)).body.finished).toBe(false);
  await org.reach(id, "cancelled");
});
