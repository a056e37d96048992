import { describe, expect, test } from "vitest";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenRunner } from "../../support/rows/given.ts";
import { givenBoundTokens } from "../../support/tokens/given-bound-tokens.ts";

const { db, org, own, sibling, as, api, unbound } = await givenBoundTokens();

describe("a token bound to an install", () => {
  test("sees of every list what is its own", async () => {
    const ids = async (what: string, caller = api) => {
      const { body } = await caller<{ items?: { id: string }[] } & { id: string }[]>(what);
      return (body.items ?? body).map(({ id }) => id);
    };
    const foreignJob = await givenJob(db, sibling.runner);
    expect(await ids("GET /v1/installs")).toEqual([own.installId]);
    expect(await ids("GET /v1/runners")).toEqual([own.runner.runnerId]);
    expect(await ids("GET /v1/runner-groups")).toEqual([own.runner.groupId]);
    const all = await ids("GET /v1/runner-jobs?limit=100", org.api);
    const mine = await ids("GET /v1/runner-jobs?limit=100");
    expect(mine.length).toBeGreaterThan(0);
    expect(all).toContain(foreignJob);
    expect(mine).not.toContain(foreignJob);
    expect(await ids("GET /v1/runner-jobs?status=queued&status=available")).not.toContain(
      foreignJob,
    );
    const workflows = await api<WholeWorkflow[]>("GET /v1/workflows?limit=100");
    expect(new Set(workflows.body.map(({ owner_id: id }) => id))).toEqual(new Set([own.installId]));
    const streams = await api<{ items: { runner_id: string }[] }>("GET /v1/log-streams");
    expect(streams.body.items.every(({ runner_id: id }) => id === own.runner.runnerId)).toBe(true);
    expect((await api("GET /v1/workflows/pending-approvals")).status).toBe(200);
  });

  test("reaches the runners, jobs, logs and states of its installs", async () => {
    const mine = await givenJob(db, own.runner);
    const theirs = await givenJob(db, sibling.runner);
    const routes = [
      [`GET /v1/runners/${own.runner.runnerId}`, `GET /v1/runners/${sibling.runner.runnerId}`],
      [`GET /v1/runner-jobs/${mine}`, `GET /v1/runner-jobs/${theirs}`],
      [`GET /v1/log-streams/lgs_${mine.slice(4)}`, `GET /v1/log-streams/lgs_${theirs.slice(4)}`],
      [`POST /v1/runner-jobs/${mine}/cancel`, `POST /v1/runner-jobs/${theirs}/cancel`],
      [
        `GET /v1/runner-groups/${own.runner.groupId}`,
        `GET /v1/runner-groups/${sibling.runner.groupId}`,
      ],
    ];
    for (const [reached, unreached] of routes) {
      expect((await api(reached ?? "")).status).toBeLessThan(300);
      expect((await api(unreached ?? "")).status).toBe(404);
    }
    const owner = { owner_type: "installs", owner_id: own.installId };
    const kept = await api<{ id: string }>("POST /v1/terraform-workspaces", owner);
    expect(kept.status).toBe(201);
    expect((await api(`GET /v1/terraform-workspaces/${kept.body.id}`)).status).toBe(200);
    const elses = await org.api<{ id: string }>("POST /v1/terraform-workspaces", {
      ...owner,
      owner_id: sibling.installId,
    });
    expect((await api(`GET /v1/terraform-workspaces/${elses.body.id}`)).status).toBe(404);
    expect((await api("POST /v1/helm-charts", {})).status).toBe(403);
    const plan = (id: string) => ({
      type: "terraform-deploy",
      plan: { terraform_backend: { WorkspaceID: id } },
    });
    const to = `POST /v1/runners/${own.runner.runnerId}/jobs`;
    expect((await api(to, plan(elses.body.id))).body).toMatchObject({ code: "bound_only" });
    expect((await api(to, plan(kept.body.id))).body).not.toMatchObject({ code: "bound_only" });
  });

  test("cancels of many jobs and workflows its own only", async () => {
    const theirs = await givenJob(db, sibling.runner);
    expect((await api("POST /v1/runner-jobs/cancel", { all: true, limit: 100 })).status).toBe(200);
    expect((await org.api(`GET /v1/runner-jobs/${theirs}`)).body).not.toMatchObject({
      status: "cancelled",
    });
    const asked = { workflow_ids: [sibling.workflowId, own.workflowId] };
    expect((await api("POST /v1/workflows/cancel", asked)).body).toMatchObject({
      outcomes: [
        { workflow_id: sibling.workflowId, outcome: "not-found" },
        { workflow_id: own.workflowId, outcome: "final" },
      ],
    });
  });
});

describe("enqueueing by hand for an install's runner", () => {
  test("needs the right to operate installs", async () => {
    const job = { type: "noop-deploy" };
    const builder = as(await givenToken(db, { orgId: org.orgId, role: "org_builder" }));
    const free = await givenRunner(db, { orgId: org.orgId });
    for (const caller of [builder, unbound]) {
      expect(await caller(`POST /v1/runners/${own.runner.runnerId}/jobs`, job)).toMatchObject({
        status: 403,
        body: { code: "permission_missing" },
      });
      expect((await caller(`POST /v1/runners/${free.runnerId}/jobs`, job)).status).toBe(201);
    }
    const old = await givenJob(db, own.runner);
    expect((await builder(`POST /v1/runner-jobs/${old}/rerun`, {})).status).toBe(403);
    const { body: queue } = await org.api<{ id: string }>("POST /v1/queues", { name: "q" });
    const signal = { type: "runner-job", signal: { runner_id: own.runner.runnerId, ...job } };
    expect((await builder(`POST /v1/queues/${queue.id}/signals`, signal)).status).toBe(403);
    expect((await api(`POST /v1/runners/${own.runner.runnerId}/jobs`, job)).status).toBe(201);
  });
});
