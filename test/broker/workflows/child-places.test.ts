import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import { until } from "../../support/broker/given-polling.ts";
import { beginTree, childrenOf, childStep } from "../../support/workflows/given-tree.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

const provision = (install_id: string) => ({ key: install_id, type: "provision", install_id });

/** An install whose agent does what `how` says. */
async function given() {
  const org = await setup();
  const how = { ends: "finished" as "finished" | "failed" | "held" };
  const install = await givenInstall(org, { name: "hub", ends: () => how.ends });
  const at = `/v1/installs/${install.installId}`;
  const phase = async (): Promise<string> =>
    (await org.api<Install>(`GET ${at}`)).body.lifecycle_phase.phase;
  const firstChild = async (id: string) => {
    const [child] = await childrenOf(org, id);
    if (child === undefined) throw new Error("it has no children");
    return child;
  };
  return { ...org, ...install, at, how, phase, firstChild };
}

describe("a child in the lane of its parent", () => {
  test("runs in its parent's place, which ends with both, and leaves the phase alone", async () => {
    const org = await given();
    org.how.ends = "held";
    const id = await beginTree(org, org.installId, { children: [provision(org.installId)] });
    await until(() => Promise.resolve(org.agent.held.length > 0));
    const next = (await org.api<{ workflow_id: string }>(`POST ${org.at}/reprovision`, {})).body;
    expect(await org.phase()).toBe("updating");
    const child = await org.firstChild(id);
    const queued = await org.api(`GET /v1/workflows/${next.workflow_id}/queue-position`);
    expect(queued.body).toMatchObject({ position: 1, signals_ahead: [{ workflow_id: id }] });
    expect((await org.api(`GET /v1/workflows/${child.id}/queue-position`)).body).toMatchObject({
      position: 0,
    });
    org.how.ends = "finished";
    const [job] = org.agent.held;
    if (job === undefined) throw new Error("nothing is held");
    await org.agent.end(job, "finished");
    const [parent, after] = [
      await org.reach(id, "success"),
      await org.reach(next.workflow_id, "success"),
    ];
    expect(Date.parse(after.started_at ?? "")).toBeGreaterThanOrEqual(
      Date.parse(parent.finished_at ?? ""),
    );
    expect(await org.phase()).toBe("active");
  });

  test("is cancelled with its parent's place", async () => {
    const org = await given();
    org.how.ends = "held";
    const id = await beginTree(org, org.installId, { children: [provision(org.installId)] });
    await until(() => Promise.resolve(org.agent.held.length > 0));
    const [place] = await db<{ id: string }[]>`
      select signal_id as id from workflows where id = ${id}`;
    const ended = await org.api(`POST /v1/signals/${place?.id}/cancel`);
    expect(ended.status).toBeLessThan(300);
    await until(async () => (await org.firstChild(id)).cancelling);
    const [job] = org.agent.held;
    if (job === undefined) throw new Error("nothing is held");
    await org.agent.end(job, "finished");
    await org.reach(id, "cancelled");
    expect((await org.firstChild(id)).status.status).toBe("cancelled");
  });

  test("that failed does not outlive a parent that goes on without it, and cannot be resumed alone", async () => {
    const org = await given();
    org.how.ends = "failed";
    const id = await beginTree(org, org.installId, { children: [provision(org.installId)] });
    const failed = await org.reach(id, "failed-pending-retry");
    const next = (await org.api<{ workflow_id: string }>(`POST ${org.at}/reprovision`, {})).body;
    expect((await org.firstChild(id)).status.status).toBe("failed-pending-retry");
    await org.api(`POST /v1/workflows/${id}/steps/${childStep(failed).id}/skip`);
    await org.reach(id, "success");
    const child = await org.firstChild(id);
    await org.reach(child.id, "cancelled");
    await org.reach(next.workflow_id, "success");
    await db`update workflows set status = 'error' where id = ${child.id}`;
    expect(await org.api(`POST /v1/workflows/${child.id}/resume`)).toMatchObject({
      status: 409,
      body: { code: "not_resumable" },
    });
  });

  test("that somebody retries after its parent has finished keeps the place until it ends", async () => {
    const org = await given();
    org.how.ends = "failed";
    const id = await beginTree(org, org.installId, { children: [provision(org.installId)] });
    const failed = await org.reach(id, "failed-pending-retry");
    const child = await org.firstChild(id);
    const step = (await org.read(child.id)).body.steps.find(
      ({ status }) => status.status === "failed-pending-retry",
    );
    org.how.ends = "held";
    await org.api(`POST /v1/workflows/${child.id}/steps/${step?.id}/retry`);
    await until(() => Promise.resolve(org.agent.held.length > 0));
    await org.api(`POST /v1/workflows/${id}/steps/${childStep(failed).id}/skip`);
    await org.reach(id, "success");
    const next = (await org.api<{ workflow_id: string }>(`POST ${org.at}/reprovision`, {})).body;
    expect((await org.read(next.workflow_id)).body.status.status).toBe("pending");
    const [job] = org.agent.held;
    if (job === undefined) throw new Error("nothing is held");
    org.how.ends = "finished";
    await org.agent.end(job, "finished");
    await org.reach(child.id, "success");
    await org.reach(next.workflow_id, "success");
  });
});

describe("a child in another install's lane", () => {
  test("that is full is begun later, while the others go on", async () => {
    const org = await given();
    const other = await givenInstall(org, { name: "other" });
    const full = await givenInstall(org, { name: "full" });
    const [lane] = await db<{ id: string }[]>`
      select id from queues where install_id = ${full.installId} and name = 'changes'`;
    await org.api(`POST /v1/queues/${lane?.id}/pause`, {});
    await org.api(`PATCH /v1/queues/${lane?.id}`, { max_depth: 1 });
    const waits = (
      await org.api<{ workflow_id: string }>(`POST /v1/installs/${full.installId}/reprovision`, {})
    ).body;
    const id = await beginTree(org, org.installId, {
      children: [provision(full.installId), provision(other.installId)],
    });
    await until(async () => (await childrenOf(org, id))[0]?.finished === true);
    const step = childStep((await org.read(id)).body);
    expect([step.status.status, step.status.status_human_description]).toEqual([
      "in-progress",
      "the lane of an install is full: it is tried again in 10 s",
    ]);
    await org.api(`POST /v1/queues/${lane?.id}/resume`, {});
    await org.reach(waits.workflow_id, "success");
    await db`select wake_workflow(${org.orgId}, ${id})`;
    await org.reach(id, "success");
    expect((await childrenOf(org, id)).map(({ owner_name: name }) => name)).toEqual([
      "other",
      "full",
    ]);
  });

  test("of an install that is gone fails the step, and nothing of it is begun", async () => {
    const org = await given();
    const idle = (await org.create({ name: "idle", start: false })).body.id;
    await org.api(`POST /v1/installs/${idle}/forget`, { confirm: "idle" });
    const id = await beginTree(org, org.installId, {
      children: [provision(org.installId), provision(idle)],
    });
    const failed = await org.reach(id, "failed-pending-retry");
    expect(childStep(failed).composite_error).toMatchObject({ code: "child_failed" });
    expect(childStep(failed).composite_error?.detail).toContain(idle);
    expect(await childrenOf(org, id)).toEqual([]);
  });
});
