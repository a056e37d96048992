import { describe, expect, test } from "vitest";
import { tokenDigest } from "../../../broker/tokens/token-secret.ts";
import { until } from "../../support/broker/given-polling.ts";
import { beginTree, childrenOf, childStep, subtree } from "../../support/workflows/given-tree.ts";
import { givenInstall, givenWorkflowsApi, stepIn } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({ brokers: 2 });

/** Who stands behind a workflow. */
async function chainOf(id: string): Promise<string[]> {
  const [row] = await db<{ chain: string[] }[]>`select chain from workflows where id = ${id}`;
  return row?.chain ?? [];
}

/** Installs, each with an agent that fails what it is told to. */
async function given(names: readonly string[]) {
  const org = await setup();
  const bad = new Set<string>();
  const held = new Set<string>();
  const installs = await Promise.all(
    names.map((name) =>
      givenInstall(org, {
        name,
        ends: () => (bad.has(name) ? "failed" : held.has(name) ? "held" : "finished"),
      }),
    ),
  );
  const idOf = (name: string): string => installs[names.indexOf(name)]?.installId ?? "";
  const agentOf = (name: string) => {
    const agent = installs[names.indexOf(name)]?.agent;
    if (agent === undefined) throw new Error(`there is no ${name}`);
    return agent;
  };
  const provision = (name: string) => ({ key: name, type: "provision", install_id: idOf(name) });
  const begin = (children: readonly ReturnType<typeof provision>[], max_parallel?: number) =>
    beginTree(org, idOf("hub"), { children, ...(max_parallel && { max_parallel }) });
  const statuses = async (id: string): Promise<string[]> =>
    (await childrenOf(org, id)).map(
      ({ owner_name: name, status: { status } }) => `${name}: ${status}`,
    );
  return { ...org, bad, held, idOf, agentOf, provision, begin, statuses };
}

describe("a step that begins workflows", () => {
  test("begins no more at once than it may, and succeeds with the last", async () => {
    const org = await given(["hub", "one", "two"]);
    const id = await org.begin([org.provision("one"), org.provision("two")], 1);
    const ended = await org.reach(id, "success");
    const [first, second] = await childrenOf(org, id);
    expect(await org.statuses(id)).toEqual(["one: success", "two: success"]);
    expect(Date.parse(second?.created_at ?? "")).toBeGreaterThanOrEqual(
      Date.parse(first?.finished_at ?? ""),
    );
    expect(first?.parent).toEqual({
      workflow_id: id,
      step_id: childStep(ended).id,
      kind: "workflow_step",
    });
    expect(childStep(ended).child_workflows.map((child) => child.id)).toEqual([
      first?.id,
      second?.id,
    ]);
    const events = await db<{ parent: unknown }[]>`
      select data -> 'parent' as parent from events where workflow_id = ${first?.id ?? ""}`;
    expect(events.length).toBeGreaterThan(2);
    for (const { parent } of events) expect(parent).toEqual(first?.parent);
  });

  test("begins each once, however often two brokers look at it", async () => {
    const org = await given(["hub", "one", "two"]);
    const id = await org.begin([org.provision("one"), org.provision("two")]);
    for (let n = 0; n < 30; n++)
      await db`select wake_workflow(org_id, id) from workflows where id = ${id} or parent_id = ${id}`;
    await org.reach(id, "success");
    expect(await org.statuses(id)).toEqual(["one: success", "two: success"]);
  });

  test("fails with one of them when the others have run out, and when it is retried begins only what did not succeed", async () => {
    const org = await given(["hub", "one", "two", "three"]);
    org.bad.add("one");
    org.held.add("two");
    const id = await org.begin(
      ["one", "two", "three"].map((name) => org.provision(name)),
      2,
    );
    await until(async () => (await org.statuses(id)).includes("one: failed-pending-retry"));
    expect((await org.read(id)).body.status.status).toBe("in-progress");
    await until(() => org.agentOf("two").held.length === 1);
    org.held.delete("two");
    const [job] = org.agentOf("two").held;
    if (job === undefined) throw new Error("nothing is held");
    await org.agentOf("two").end(job, "finished");
    const failed = await org.reach(id, "failed-pending-retry");
    const [one] = await childrenOf(org, id);
    expect(stepIn(failed, "failed-pending-retry").composite_error).toMatchObject({
      code: "child_failed",
      facts: { workflow_id: one?.id },
      retryable: true,
    });
    expect(await org.statuses(id)).toEqual(["one: failed-pending-retry", "two: success"]);
    org.bad.delete("one");
    const { id: step } = childStep(failed);
    expect((await org.api(`POST /v1/workflows/${id}/steps/${step}/retry`)).status).toBe(201);
    await org.reach(id, "success");
    expect(await org.statuses(id)).toEqual([
      "one: cancelled",
      "two: success",
      "three: success",
      "one: success",
    ]);
    const rows = await db<{ chain: string[] }[]>`
      select chain from workflows where parent_id = ${id} order by created_at, id`;
    const [token] = await db<
      { id: string }[]
    >`select id from tokens where digest = ${tokenDigest(org.token)}`;
    const chains = rows.map(({ chain }) => chain.join());
    // Who retried the parent stands behind what it began since.
    expect(new Set(chains)).toEqual(new Set(["acc_1", `acc_1,${token?.id}`]));
    expect(chains[0]).toBe("acc_1");
  });

  test("counts a child that somebody retried by itself", async () => {
    const org = await given(["hub", "one"]);
    org.bad.add("one");
    const id = await org.begin([org.provision("one")]);
    const failed = await org.reach(id, "failed-pending-retry");
    org.bad.delete("one");
    const [child] = await childrenOf(org, id);
    const stalled = stepIn((await org.read(child?.id ?? "")).body, "failed-pending-retry");
    const self = (await org.api<{ id: string }>("GET /v1/tokens/current")).body.id;
    expect(await chainOf(id)).not.toContain(self);
    await org.api(`POST /v1/workflows/${child?.id}/steps/${stalled.id}/retry`);
    await org.reach(child?.id ?? "", "success");
    expect(await chainOf(child?.id ?? "")).toContain(self);
    expect(await chainOf(id)).toContain(self); // they do not approve what the parent does next
    expect((await org.read(id)).body.status.status).toBe("failed-pending-retry");
    await org.api(`POST /v1/workflows/${id}/steps/${childStep(failed).id}/retry`);
    await org.reach(id, "success");
    expect(await org.statuses(id)).toEqual(["one: success"]);
  });

  test("is not cancelled before its children are, and these not before their jobs have stopped", async () => {
    const org = await given(["hub", "one", "two"]);
    org.held.add("one").add("two");
    const id = await org.begin([org.provision("one"), org.provision("two")], 1);
    await until(() => Promise.resolve(org.agentOf("one").held.length > 0));
    expect((await org.api(`POST /v1/workflows/${id}/cancel`)).status).toBe(202);
    await until(async () => (await childrenOf(org, id))[0]?.cancelling === true);
    expect((await org.read(id)).body).toMatchObject({ cancelling: true, finished: false });
    const [job] = org.agentOf("one").held;
    if (job === undefined) throw new Error("nothing is held");
    await org.agentOf("one").end(job, "finished");
    await org.reach(id, "cancelled");
    expect(await org.statuses(id)).toEqual(["one: cancelled"]);
    const told = await db<{ workflow_id: string }[]>`
      select workflow_id from events
       where org_id = ${org.orgId} and kind = 'workflow' and transition = 'cancelled' order by tx, n`;
    expect(told.map((event) => event.workflow_id)).toEqual([
      (await childrenOf(org, id))[0]?.id,
      id,
    ]);
  });

  test("that is cancelled alone cancels its children, and fails its workflow", async () => {
    const org = await given(["hub", "one"]);
    org.held.add("one");
    const id = await org.begin([org.provision("one")]);
    await until(() => Promise.resolve(org.agentOf("one").held.length > 0));
    const { id: step } = childStep((await org.read(id)).body);
    expect((await org.api(`POST /v1/workflows/${id}/steps/${step}/cancel`)).status).toBe(202);
    await until(async () => (await childrenOf(org, id))[0]?.cancelling === true);
    const [job] = org.agentOf("one").held;
    if (job === undefined) throw new Error("nothing is held");
    await org.agentOf("one").end(job, "finished");
    const ended = await org.reach(id, "error");
    expect(childStep(ended).status.status).toBe("cancelled");
    expect(await org.statuses(id)).toEqual(["one: cancelled"]);
  });

  test("has at most three workflows above what it begins", async () => {
    const org = await given(["hub"]);
    const hub = org.idOf("hub");
    const deepest = subtree("e", hub, []);
    const id = await beginTree(org, hub, {
      children: [subtree("b", hub, [subtree("c", hub, [subtree("d", hub, [deepest])])])],
    });
    await org.reach(id, "failed-pending-retry");
    const [tooDeep] = await db<{ detail: string }[]>`
      select s.error ->> 'detail' as detail from workflow_steps s join workflows w on w.id = s.workflow_id
       where w.org_id = ${org.orgId} and w.depth = 3 and s.error is not null`;
    expect(tooDeep?.detail).toContain("At most 3 workflows");
    expect((await org.api(`POST /v1/workflows/${id}/cancel`)).status).toBe(202);
    await org.reach(id, "cancelled");
    const open = await db`
      select from workflows where org_id = ${org.orgId} and finished_at is null`;
    expect(open).toHaveLength(0);
  });
});
