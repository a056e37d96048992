import { expect, test } from "vitest";
import { deleteByOrg } from "../../../broker/retention/delete-by-org.ts";
import { deleteOldJobs } from "../../../broker/retention/delete-old-jobs.ts";
import { deleteOldWorkflows } from "../../../broker/retention/delete-old-workflows.ts";
import type { WholeActionRun } from "../../../shared/api/actions.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { beginTree, childrenOf } from "../../support/workflows/given-tree.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();
const { signal } = new AbortController();
const batches = { signal, batch: 3 };

async function givenRuns() {
  const org = await setup();
  const { installId } = await givenInstall(org, {
    ends: (plan) => (plan.includes("world -") ? "failed" : "finished"),
  });
  const runOf = async (name: string, status: string) => {
    const { body } = await org.run(installId, name);
    const workflow = await org.reach(body.workflow_id, status);
    const path = `/v1/installs/${installId}/actions/runs/${body.id}`;
    return { ...body, path, workflow };
  };
  const finished = [await runOf("greet", "success"), await runOf("greet", "success")];
  const open = await runOf("careful", "approval-awaiting");
  const isThere = async (path: string) => (await org.api(`GET ${path}`)).status === 200;
  const jobOf = async (path: string) =>
    (await org.api<WholeActionRun>(`GET ${path}`)).body.runner_job_id ?? "";
  return { org, installId, finished, open, isThere, jobOf };
}

test("old workflows go, but for what is open and what the state of an install needs", async () => {
  const { org, installId, finished, open, isThere, jobOf } = await givenRuns();
  const [former, latest] = finished as [(typeof finished)[0], (typeof finished)[0]];
  const [formerJob, latestJob] = [await jobOf(former.path), await jobOf(latest.path)];
  const actionsOf = async () =>
    (await org.api<{ actions?: object }>(`GET /v1/installs/${installId}/state`)).body.actions;
  const before = await actionsOf();
  expect(JSON.stringify(before)).toContain("greet");
  await advanceClock(db, "60 days");
  expect(await deleteOldJobs(db, 30, batches)).toBeGreaterThan(0);
  expect(await deleteOldWorkflows(db, 30, batches)).toBeGreaterThan(0);
  expect(await deleteOldWorkflows(db, 30, batches)).toBe(0);
  const there = async (run: typeof former, jobId: string) => [
    await isThere(`/v1/workflows/${run.workflow_id}`),
    await isThere(run.path),
    await isThere(`/v1/runner-jobs/${jobId}`),
  ];
  expect(await there(former, formerJob)).toEqual([false, false, false]);
  expect(await there(latest, latestJob)).toEqual([true, true, true]);
  expect(await isThere(`/v1/workflows/${open.workflow_id}`)).toBe(true);
  expect(await actionsOf()).toEqual(before);

  await db`update installs set deleted_at = svc_now() where id = ${installId}`;
  await deleteOldJobs(db, 30, batches);
  await deleteOldWorkflows(db, 30, batches);
  expect(await isThere(`/v1/workflows/${latest.workflow_id}`)).toBe(false);
  expect(await isThere(`/v1/runner-jobs/${latestJob}`)).toBe(false);
});

test("an org that keeps jobs for a shorter time keeps workflows so long, too", async () => {
  const { org, finished, open, isThere } = await givenRuns();
  const other = await givenRuns();
  await db`update orgs set retain_jobs_days = 5 where id = ${org.orgId}`;
  await advanceClock(db, "10 days");
  await deleteByOrg(db, { signal, batch: 2 });
  const left = await Promise.all(
    [...finished, open].map(({ workflow_id: id }) => isThere(`/v1/workflows/${id}`)),
  );
  expect(left).toEqual([false, true, true]);
  const theirs = other.finished.map(({ workflow_id: id }) => other.isThere(`/v1/workflows/${id}`));
  expect(await Promise.all(theirs)).toEqual([true, true]);
});

test("what an open workflow has begun stays with it", async () => {
  const org = await setup();
  const hub = await givenInstall(org, { name: "hub" });
  const one = await givenInstall(org, { name: "one" });
  const two = await givenInstall(org, { name: "two", ends: () => "failed", start: false });
  const child = (install_id: string) => ({ key: install_id, type: "provision", install_id });
  const children = [child(one.installId), child(two.installId)];
  const id = await beginTree(org, hub.installId, { children });
  await org.reach(id, "failed-pending-retry");
  const [first] = await childrenOf(org, id);
  await db`update workflows set status_at = svc_now() + interval '60 days' where id = ${id}`; // it does not give up
  await db`update installs set deleted_at = svc_now() where id = ${one.installId}`; // whose state needs nothing of it
  await advanceClock(db, "60 days");
  await deleteOldWorkflows(db, 30, batches);
  const isThere = async () => (await org.read(first?.id ?? "")).status;
  expect([first?.status.status, await isThere()]).toEqual(["success", 200]);
  await org.api(`POST /v1/workflows/${id}/cancel`);
  await org.reach(id, "cancelled");
  await deleteOldWorkflows(db, 30, batches);
  expect(await isThere()).toBe(404);
});
