import type { InstallEvent } from "../../shared/api/install.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { wordsOfWorkflow } from "../workflows/types/workflow-types.ts";

type EventRow = {
  readonly id: string;
  readonly org_id: string;
  readonly install_id: string;
  readonly workflow_id: string;
  readonly workflow_type: string;
  readonly transition: string;
  readonly error: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly created_at: Date;
  readonly sort_key: string;
};

/** The begins and ends of an install's workflows, the newest first: by their number, as several may be of one instant. */
export async function listInstallEvents(
  db: Db,
  org: OrgId,
  {
    installId,
    id,
    created = {},
    after,
    limit,
    offset,
  }: ListRequest & {
    readonly installId: string;
    readonly id?: string;
    readonly created?: CreatedFilter;
  },
): Promise<EventRow[]> {
  return db<EventRow[]>`
    select e.id, e.org_id, e.install_id, e.workflow_id, e.workflow_type, e.transition, e.data #>> '{outcome,error}' as error,
           w.metadata, e.created_at, e.created_at::text as sort_key
      from events e left join workflows w on w.org_id = e.org_id and w.id = e.workflow_id
     where e.org_id = ${org} and e.install_id = ${installId} and e.kind = 'workflow'
       ${after === undefined ? db`` : db`and e.n < (select x.n from events x where x.org_id = ${org} and x.id = ${after.id})`}
       ${id === undefined ? db`` : db`and e.id = ${id}`}
       ${createdWithin(db, db`e.created_at`, created)}
     order by e.n desc limit ${limit} offset ${offset}`;
}

/** One of them; 404 when there is none. */
export async function showInstallEvent(
  db: Db,
  org: OrgId,
  which: { readonly installId: string; readonly id: string },
): Promise<InstallEvent> {
  const one = { after: undefined, limit: 1, offset: 0 };
  const [row] = await listInstallEvents(db, org, { ...which, ...one });
  if (row === undefined) throw problem.notFound("event");
  return toInstallEvent(row);
}

const statuses: Readonly<Record<string, InstallEvent["operation_status"]>> = {
  started: "started",
  succeeded: "finished",
};

/** An event as the API shows it. */
export function toInstallEvent(row: EventRow): InstallEvent {
  const { workflow_id, workflow_type: type, transition, error } = row;
  return {
    id: row.id,
    org_id: row.org_id,
    install_id: row.install_id,
    operation: type,
    operation_name: wordsOfWorkflow({ type, metadata: row.metadata ?? {} }),
    operation_status: statuses[transition] ?? "failed",
    payload: { workflow_id, transition, ...(error !== null && { error }) },
    created_at: row.created_at.toISOString(),
  };
}
