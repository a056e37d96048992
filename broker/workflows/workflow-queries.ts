import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";
import type { Approval, Step, Workflow } from "./machine/workflow-rows.ts";

/** A workflow as lists read it. */
export type WorkflowRow = {
  readonly workflow: Workflow;
  readonly owner_name: string;
  readonly now: string;
};

export type WorkflowFilter = CreatedFilter & {
  readonly ownerId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly search?: string | undefined;
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly isFinished?: boolean | undefined;
  readonly isPlanOnly?: boolean | undefined;
};
/** Of a token that is bound: only what it reaches. */
type OfBound = { readonly bound?: Bound | null };

/** Workflows that pass the filter, the newest first. Ids begin with their time: they are the order. */
export async function listWorkflows(
  db: Db,
  org: OrgId,
  {
    filter,
    bound,
    after,
    limit,
    offset,
  }: ListRequest & OfBound & { readonly filter: WorkflowFilter },
): Promise<(WorkflowRow & { readonly id: string; readonly sort_key: string })[]> {
  const { ownerId, parentId, type, status, isFinished, isPlanOnly, search } = filter;
  const sought = search?.toLowerCase().replaceAll(/[ -]/g, "_");
  return db<(WorkflowRow & { id: string; sort_key: string })[]>`
    ${selected(db)}
     where w.org_id = ${org} and w.id < ${after?.id ?? "~"}
       ${boundTo(db, "workflows", bound)}
       ${createdWithin(db, db`w.created_at`, filter)}
       ${ownerId === undefined ? db`` : db`and w.owner_id = ${ownerId}`}
       ${parentId === undefined ? db`` : db`and w.parent_id = ${parentId}`}
       ${type === undefined ? db`` : db`and w.type = ${type}`}
       ${status === undefined ? db`` : db`and w.status = ${status}`}
       ${isFinished === undefined ? db`` : db`and (w.finished_at is not null) = ${isFinished}`}
       ${isPlanOnly === undefined ? db`` : db`and w.plan_only = ${isPlanOnly}`}
       ${sought === undefined ? db`` : db`and (strpos(w.type, ${sought}) > 0 or strpos(w.id, ${sought}) > 0)`}
     order by w.id desc limit ${limit} offset ${offset}`;
}

/** One of them as lists have it, if a bound token reaches it. */
export async function findWorkflow(
  db: Db,
  org: OrgId,
  id: string,
  bound: Bound | null,
): Promise<WorkflowRow | undefined> {
  const [row] = await findWorkflows(db, org, [id], bound);
  return row;
}

/** Those of these ids. */
export async function findWorkflows(
  db: Db,
  org: OrgId,
  ids: readonly string[],
  bound: Bound | null,
): Promise<WorkflowRow[]> {
  if (ids.length === 0) return [];
  return db<WorkflowRow[]>`
    ${selected(db)} where w.org_id = ${org} and w.id = any(${ids}) ${boundTo(db, "workflows", bound)}`;
}

const selected = (db: Db) => db`
  select w.id, to_jsonb(w) as workflow, coalesce(i.name, a.name, '') as owner_name, to_jsonb(svc_now()) as now, w.created_at::text as sort_key
    from workflows w
    left join installs i on i.org_id = w.org_id and i.id = w.owner_id
    left join apps a on a.org_id = w.org_id and a.id = w.owner_id`;

/** The name of what a workflow is about. */
export async function findOwnerName(db: Db, org: OrgId, ownerId: string): Promise<string> {
  const [row] = await db<{ name: string }[]>`
    select i.name from installs i where i.org_id = ${org} and i.id = ${ownerId}
    union all
    select a.name from apps a where a.org_id = ${org} and a.id = ${ownerId}`;
  return row?.name ?? "";
}

/** A step that waits for somebody, with what is to be approved, without its contents. */
type PendingStep = {
  readonly id: string;
  readonly sort_key: string;
  readonly workflow: Workflow;
  readonly step: Step;
  readonly approval: Approval;
};

/** Steps that wait for somebody, the newest first. */
export async function listPendingSteps(
  db: Db,
  org: OrgId,
  {
    ownerId,
    bound,
    after,
    limit,
    offset,
  }: ListRequest & OfBound & { readonly ownerId?: string | undefined },
): Promise<PendingStep[]> {
  return db<PendingStep[]>`
    select s.id, s.created_at::text as sort_key, to_jsonb(w) as workflow, to_jsonb(s) as step, approval_row(a) as approval
      from workflow_steps s join workflows w on w.org_id = s.org_id and w.id = s.workflow_id
      join workflow_approvals a on a.step_id = s.id
     where s.org_id = ${org} and s.status = 'approval-awaiting' and s.id < ${after?.id ?? "~"}
       ${ownerId === undefined ? db`` : db`and w.owner_id = ${ownerId}`}
       ${boundTo(db, "workflows", bound)}
     order by s.id desc limit ${limit} offset ${offset}`;
}

export type PlaceAhead = {
  readonly workflow_id: string;
  readonly workflow_type: string;
  readonly status: string;
  readonly created_at: Date;
};

export type Places = {
  /** How many are ahead of it; 0 where it waits for none. */
  readonly position: number;
  /** All in the lane that have not ended: those that have their turn, those that wait, and those that wait for a person. */
  readonly depth: number;
  readonly ahead: readonly PlaceAhead[];
};

/** Whom a workflow waits for in its lane, in order, the first hundred of them. */
export async function findPlaces(db: Db, org: OrgId, id: string): Promise<Places> {
  const [own] = await db<{ position: number; depth: number }[]>`
    select coalesce(c.waiting + c.delayed + c.in_flight, 0) as depth,
           case when l.status = 'queued'
                then c.in_flight + c.delayed
                     + (select count(*)::int from queue_signal_live o
                         where o.queue_id = l.queue_id and o.status = 'queued' and o.place < l.place)
                else 0 end as position
      from workflows w
      left join queue_signal_live l on l.id = w.signal_id
      left join queue_counters c on c.queue_id = w.queue_id
     where w.org_id = ${org} and w.id = ${id}`;
  if (own === undefined || own.position === 0)
    return { position: 0, depth: own?.depth ?? 0, ahead: [] };
  const ahead = await db<PlaceAhead[]>`
    select x.id as workflow_id, x.type as workflow_type, x.status, x.created_at
      from workflows w
      join queue_signal_live l on l.id = w.signal_id
      join queue_signal_live o on o.queue_id = l.queue_id and (o.status <> 'queued' or o.place < l.place)
      join workflows x on x.org_id = w.org_id and x.signal_id = o.id and not x.shares_place
     where w.org_id = ${org} and w.id = ${id}
     order by o.status = 'queued', o.place limit 100`;
  return { ...own, ahead };
}
