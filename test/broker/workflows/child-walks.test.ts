import fc from "fast-check";
import { expect, test } from "vitest";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../../support/broker/given-polling.ts";
import { walks } from "../../support/model/walks.ts";
import { beat } from "../../support/rows/given.ts";
import { expectToldOnce } from "../../support/workflows/expect-told-once.ts";
import { beginTree, subtree } from "../../support/workflows/given-tree.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({ brokers: 2 });

const wishes = [
  "wake",
  "wake",
  "retry",
  "retry",
  "retry",
  "skip",
  "cancel",
  "cancel-step",
  "resume",
  "reprovision",
  "tree",
] as const;
const step = fc.record({
  wish: fc.constantFrom(...wishes),
  at: fc.nat({ max: 60 }),
  broker: fc.nat({ max: 1 }),
});
const walk = fc.record({
  ends: fc.array(fc.constantFrom("finished", "finished", "failed"), {
    minLength: 100,
    maxLength: 100,
  }),
  steps: fc.array(step, { minLength: 50, maxLength: 50 }),
});
type Walk = typeof walk extends fc.Arbitrary<infer It> ? It : never;

/** The database itself notes what must never be, at the instant at which it is. */
await db`create table broken (rule text, id text)`;
await db`
  create function note_broken() returns trigger language plpgsql as $$
  begin
    if tg_table_name = 'queue_signal_live' then
      insert into broken select 'a place ends before what has it', w.id from workflows w
       where w.signal_id = old.id and w.finished_at is null;
    elsif tg_op = 'INSERT' then
      insert into broken select 'a child is begun beside another of its key', new.id from workflows w
       where w.parent_id = new.parent_id and w.child_key = new.child_key and w.id <> new.id and w.finished_at is null;
    else
      insert into broken select 'two changes of an install at once', new.id
        from workflows w join queues q on q.id = w.queue_id
       where q.name = 'changes' and w.queue_id = new.queue_id and w.signal_id <> new.signal_id
         and w.status not in ('pending', 'success', 'error', 'cancelled');
      insert into broken select 'a fault of the broker', new.id where new.faults > old.faults;
    end if;
    return null;
  end $$`;
await db`
  create trigger note_places after delete on queue_signal_live for each row execute function note_broken()`;
await db`
  create trigger note_children after insert on workflows for each row when (new.parent_id is not null)
  execute function note_broken()`;
await db`
  create trigger note_changes after update on workflows for each row
  when (new.status in ('in-progress', 'approval-awaiting') or new.faults > old.faults) execute function note_broken()`;

/** Installs whose agents fail now and then until the walk is over, and trees over them; a tree begins only what stands after it. */
async function given(ends: Walk["ends"]) {
  const org = await setup();
  const at = { nth: 0, isOver: false };
  const installs: string[] = [];
  const agents: string[] = [];
  for (const name of ["hub", "one", "two"]) {
    const end = () => (at.isOver ? "finished" : (ends[at.nth++ % ends.length] ?? "finished"));
    const { installId, agent } = await givenInstall(org, { name, ends: end, start: false });
    installs.push(installId);
    agents.push(agent.processId);
  }
  const [hub = "", one = "", two = ""] = installs;
  const provision = (key: string, install_id: string) => ({ key, type: "provision", install_id });
  const middle = subtree("middle", one, [provision("one", one), provision("two", two)]);
  const inner = subtree("inner", hub, [provision("hub", hub), middle]);
  const children = [provision("hub", hub), inner, provision("two", two)];
  const tree = (n: number) =>
    beginTree(org, hub, { children, ...(n % 2 === 0 && { max_parallel: 1 }) });
  const listIds = async (): Promise<string[]> => {
    const rows = await db<{ id: string }[]>`
      select id from workflows where org_id = ${org.orgId} order by id`;
    return rows.map(({ id }) => id);
  };
  return { ...org, at, installs, agents, tree, listIds };
}
type Given = Awaited<ReturnType<typeof given>>;

async function walkThrough({ ends, steps }: Walk): Promise<readonly string[]> {
  const org = await given(ends);
  await org.tree(0);
  await org.tree(1);
  const inFlight: Promise<unknown>[] = [];
  for (const one of steps) {
    const done = act(org, one);
    inFlight.push(done);
    if (one.at % 3 === 0) await done; // the others at once
  }
  await Promise.all(inFlight);
  org.at.isOver = true;
  await until(async () => {
    await beat(db, org.agents, []); // they hold nothing: what was told to stop has
    const ids = await org.listIds();
    const open = [];
    for (const id of ids) open.push((await org.read(id)).body);
    const left = open.filter(({ finished }) => !finished);
    for (const one of left) await mend(org, one);
    return left.length === 0;
  }).catch(async (error: unknown) => {
    throw new Error(JSON.stringify(await listOpen(org.orgId), null, 1), { cause: error });
  });
  return org.listIds();
}

/** What has not ended, for whoever reads why the walk failed. */
const listOpen = async (org: string) => db`
  select w.id, w.type, w.status, w.is_cancelling, w.parent_id, w.shares_place, l.status as place, w.owner_id, w.faults,
         (select json_agg(s.kind || ' ' || s.status || ' ' || s.status_description) from workflow_steps s
           where s.workflow_id = w.id and s.status in ('in-progress', 'pending', 'failed-pending-retry')) as steps,
         exists (select from graphile_worker.jobs j where j.key = 'advance:' || w.id) as is_woken
    from workflows w left join queue_signal_live l on l.id = w.signal_id
   where w.org_id = ${org} and w.finished_at is null order by w.id`;

/** One wish, of whichever workflow there is; a refusal changes nothing. */
async function act(org: Given, { wish, at, broker }: Walk["steps"][number]): Promise<void> {
  const ask = async (what: string, body?: object): Promise<void> => {
    const call = org.brokers[broker]?.call ?? org.brokers[0]?.call;
    await call?.(what, { token: org.token, ...(body !== undefined && { body }) });
  };
  const ids = await org.listIds();
  const id = ids[at % ids.length] ?? "";
  if (wish === "wake")
    await db`
      select graphile_worker.add_job(workflow_task(), json_build_object('org_id', ${org.orgId}::text, 'workflow_id', ${id}::text))
        from generate_series(1, 2)`; // twice at once
  else if (wish === "tree") await (at % 4 === 0 ? org.tree(at) : undefined);
  else if (wish === "reprovision")
    await ask(`POST /v1/installs/${org.installs[at % 3]}/reprovision`, {});
  else if (wish === "cancel")
    await (at % 2 === 0 ? ask(`POST /v1/workflows/${id}/cancel`) : undefined);
  else if (wish === "resume") await resume(ids, ask);
  else {
    const { steps } = (await org.read(id)).body;
    const status = wish === "cancel-step" ? "in-progress" : "failed-pending-retry";
    const found = steps.find((one) => one.status.status === status);
    const word = wish === "cancel-step" ? "cancel" : wish;
    if (found !== undefined) await ask(`POST /v1/workflows/${id}/steps/${found.id}/${word}`);
  }
}

type Ask = (what: string, body?: object) => Promise<void>;

/** Whatever ended as an error and was nobody's child. */
async function resume(ids: readonly string[], ask: Ask): Promise<void> {
  const failed = await db<{ id: string }[]>`
    select id from workflows where id = any(${[...ids]}) and status = 'error' and parent_id is null limit 1`;
  for (const { id } of failed) await ask(`POST /v1/workflows/${id}/resume`);
}

/** So that it ends: what failed is retried, and passed over when it was too often. */
async function mend({ api }: Given, { id, steps }: WholeWorkflow): Promise<void> {
  const failed = steps.find(({ status }) => status.status === "failed-pending-retry");
  if (failed === undefined) return;
  const { status } = await api(`POST /v1/workflows/${id}/steps/${failed.id}/retry`);
  if (status === 409) await api(`POST /v1/workflows/${id}/steps/${failed.id}/skip`);
}

test("parents and children, whatever somebody wants of them at two brokers, end once, one change of an install at a time", async () => {
  await fc.assert(
    fc.asyncProperty(walk, async (drawn) => {
      const ids = await walkThrough(drawn);
      expect(await db`select * from broken`).toEqual([]);
      for (const id of ids) await expectToldOnce(db, id);
      const places = await db`
        select from queue_signal_live l join workflows w on w.signal_id = l.id where w.id = any(${[...ids]})`;
      expect(places).toHaveLength(0);
    }),
    { ...walks(3), endOnFailure: true },
  );
});
