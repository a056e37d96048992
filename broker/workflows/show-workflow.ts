import type { ShownApproval, WholeWorkflow } from "../../shared/api/workflow.ts";
import { maskRendered } from "../../shared/plans/mask-plan.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { findShownPlan } from "../jobs/shown-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { readApprovalText, readSnapshot } from "./load-workflow.ts";
import type { WorkflowSnapshot } from "./machine/workflow-snapshot.ts";
import { toApproval, toWholeWorkflow } from "./to-workflow.ts";
import { findOwnerName, listPendingSteps } from "./workflow-queries.ts";

/** All that is stored of a workflow; 404 without it. */
export async function requireSnapshot(db: Db, org: OrgId, id: string): Promise<WorkflowSnapshot> {
  const snapshot = await readSnapshot(db, org, id);
  if (snapshot === undefined) throw problem.notFound("workflow");
  return snapshot;
}

/** One workflow with its runs, groups and steps. */
export async function showWorkflow(db: Db, org: OrgId, id: string): Promise<WholeWorkflow> {
  return (await showVersionedWorkflow(db, org, id)).shown;
}

/** The same, and its version: every move makes another. */
export async function showVersionedWorkflow(
  db: Db,
  org: OrgId,
  id: string,
): Promise<{ readonly shown: WholeWorkflow; readonly version: number }> {
  const snapshot = await requireSnapshot(db, org, id);
  const { workflow } = snapshot;
  const ownerName = await findOwnerName(db, org, workflow.owner_id);
  return { shown: toWholeWorkflow(snapshot, ownerName), version: workflow.version };
}

type OfApproval = { readonly id: string; readonly stepId: string; readonly approvalId: string };

/** An approval of a step; 404 for that of another one. */
export async function showApproval(
  db: Db,
  org: OrgId,
  { id, stepId, approvalId }: OfApproval,
): Promise<ShownApproval> {
  const { workflow, steps, approvals } = await requireSnapshot(db, org, id);
  const step = steps.find((one) => one.id === stepId);
  if (step === undefined) throw problem.notFound("workflow step");
  const approval = approvals.find((one) => one.id === approvalId && one.step_id === stepId);
  if (approval === undefined) throw problem.notFound("approval");
  return toApproval(workflow, step, approval);
}

/** What is to be approved, as JSON: the masked twin of the plan. Of one without a twin nothing that was rendered. */
export async function showApprovalContents(
  parts: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  at: OfApproval,
): Promise<string> {
  await showApproval(parts.db, org, at);
  const shown = await findShownPlan(parts, org, at.approvalId);
  if (shown !== undefined) return shown;
  const text = await readApprovalText(parts, org, at.approvalId);
  if (text === undefined) throw problem.notFound("approval");
  return JSON.stringify(maskRendered("actions-workflow", JSON.parse(text)));
}

/** Approvals that wait for somebody, the newest first. */
export async function listPendingApprovals(
  db: Db,
  org: OrgId,
  request: Parameters<typeof listPendingSteps>[2],
): Promise<{ readonly id: string; readonly sort_key: string; readonly shown: ShownApproval }[]> {
  const pending = await listPendingSteps(db, org, request);
  return pending.map(({ id, sort_key, workflow, step, approval }) => ({
    id,
    sort_key,
    shown: toApproval(workflow, step, approval),
  }));
}
