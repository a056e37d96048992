import { isEndedStep } from "../../shared/workflow-step.ts";
import { isFinishedWorkflow } from "../../shared/workflow.ts";
import type { Db } from "../database/connect.ts";
import { isGivenUp } from "./count-fault.ts";
import { draftChild } from "./draft-workflow.ts";
import { giveUpAt } from "./machine/advance-workflow.ts";
import type { WorkflowDraft } from "./machine/workflow-draft.ts";

export type Written = {
  /** written · stale (somebody else moved it) · lane-REASON · job-REASON · children-JSON */
  readonly outcome: string;
  readonly is_on_offer: boolean;
};

/** Writes a decision whole, or nothing of it. `wakes`: it is looked at again at once. */
export async function writeWorkflow(
  db: Db,
  draft: WorkflowDraft,
  { wakes }: { readonly wakes: boolean },
): Promise<Written> {
  const { workflow } = draft;
  const change = JSON.stringify(changeOf(draft, wakes));
  const [row] = await db<Written[]>`
    select * from write_workflow(${workflow.org_id}, ${workflow.id}, ${workflow.version}, ${change}::text::jsonb)`;
  if (row === undefined) throw new Error("write_workflow answered nothing");
  return row;
}

/** Writes nothing. One that failed gives up its place sooner where somebody has begun to wait for it: its clock is set anew. */
export async function leaveWorkflow(db: Db, draft: WorkflowDraft): Promise<Written> {
  const { workflow, snapshot } = draft;
  if (workflow.status === "failed-pending-retry" && snapshot.has_waiting)
    await db`select wake_workflow(${workflow.org_id}, ${workflow.id}, ${giveUpAt(draft)})`;
  return { outcome: "written", is_on_offer: false };
}

function changeOf(draft: WorkflowDraft, wakes: boolean): Readonly<Record<string, unknown>> {
  const { workflow, snapshot } = draft;
  const { phase, appliedConfigId, isDeleted, state, health, healthOf } = draft.install;
  const { labels, labelTemplates: label_templates, syncedSecrets } = draft.install;
  const install = {
    ...(phase !== undefined && { phase }),
    ...(appliedConfigId !== undefined && { applied_config_id: appliedConfigId }),
    ...(isDeleted === true && { is_deleted: "true" }),
    ...(state !== undefined && { state }),
    ...(labels !== undefined && { labels, label_templates }),
    ...(health !== undefined && { health }),
    ...(healthOf !== undefined && { health_of: healthOf }),
    ...(syncedSecrets !== undefined && { synced_secrets: syncedSecrets }),
  };
  const wakeAt = nextLookAt(draft);
  return {
    workflow: {
      ...workflow,
      events: draft.workflowEvents,
      faults: isGivenUp(workflow) ? workflow.faults : 0,
    },
    runs: changed(draft.runs, snapshot.runs),
    groups: changed(draft.groups, snapshot.groups),
    steps: changed(draft.steps, snapshot.steps).map((step) => ({
      ...step,
      events: draft.stepEvents.get(step.id) ?? [],
      ...(!snapshot.steps.some(({ id }) => id === step.id) && { is_new: true }),
    })),
    approvals: changed(draft.approvals, snapshot.approvals).map((approval) => {
      const contents = draft.contents.get(approval.id);
      const shown = draft.shown.get(approval.id);
      return {
        ...approval,
        ...(contents && { key_id: contents.keyId, base64: contents.base64 }),
        ...(shown && { shown }),
      };
    }),
    action_runs: changed(draft.actionRuns, snapshot.action_runs),
    builds: changed(draft.builds, snapshot.builds),
    deploys: changed(draft.deploys, snapshot.deploys),
    targets: changedTargets(draft),
    evaluations: draft.newEvaluations,
    jobs: draft.newJobs,
    children: draft.newChildren.map((child) => draftChild(draft, child)),
    events: draft.events,
    ...(Object.keys(install).length > 0 && { install }),
    ...(isFinishedWorkflow(workflow.status) && { ends_place: true }),
    ...(draft.newSignalId !== undefined && { new_signal_id: draft.newSignalId }),
    ...(draft.joinedBy !== undefined && { joined_by: [draft.joinedBy] }),
    ...(draft.approveAllBy !== undefined && { approve_all_by: draft.approveAllBy }),
    ...(draft.placeMove !== undefined && { place: draft.placeMove }),
    wake: wakes || draft.isPutOff || beginsWait(draft) || draft.newChildren.length > 0, // there may be more
    ...(wakeAt !== undefined && { wake_at: wakeAt }),
  };
}

/** Rows that are new or no longer as they were read. */
function changed<Row extends { readonly id: string }>(
  rows: readonly Row[],
  before: readonly Row[],
): readonly Row[] {
  const texts = new Map(before.map((row) => [row.id, JSON.stringify(row)]));
  return rows.filter((row) => texts.get(row.id) !== JSON.stringify(row));
}

/** Of what is deployed the members that are others: another workflow may write others meanwhile. */
function changedTargets({ targets, snapshot }: WorkflowDraft): readonly object[] {
  return targets.flatMap((target, at) => {
    const before = { ...snapshot.targets[at] } as Readonly<Record<string, unknown>>; // the same rows in the same order
    const members = Object.entries(target).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    );
    return members.length === 0 ? [] : [{ id: target.id, ...Object.fromEntries(members) }];
  });
}

/** What a wait is for may have come since the workflow was read: it is looked at once more. */
function beginsWait({ steps, snapshot }: WorkflowDraft): boolean {
  const waited = new Set(
    snapshot.steps.flatMap(({ id, status }) => (status === "in-progress" ? [id] : [])),
  );
  return steps.some(
    ({ id, status, job_id }) => status === "in-progress" && job_id === null && !waited.has(id),
  );
}

/** The first clock of what is open. */
function nextLookAt(draft: WorkflowDraft): string | undefined {
  if (draft.lookAt !== undefined) return draft.lookAt;
  const { workflow, steps } = draft;
  if (isFinishedWorkflow(workflow.status) || workflow.status === "pending") return undefined;
  if (workflow.status === "failed-pending-retry") return giveUpAt(draft);
  const clocks = steps.flatMap(({ status, deadline_at: at }) =>
    at === null || isEndedStep(status) ? [] : [at],
  );
  return clocks.sort((a, b) => Date.parse(a) - Date.parse(b))[0];
}
