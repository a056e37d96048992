import type { ComponentType } from "../../shared/component-types.ts";
import type { DeployStatus } from "../../shared/deploy-statuses.ts";
import type { Db } from "../database/connect.ts";
import { type LabelQuery, labelledBy } from "../labels/label-query.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** What an install has of a component, or of the sandbox, as it is read. */
export type ShownTargetRow = {
  readonly id: string;
  readonly org_id: string;
  readonly install_id: string;
  readonly component_id: string | null;
  readonly name: string;
  /** Of the part of the config; null where that has it not. */
  readonly part_type: string | null;
  readonly workspace_id: string;
  readonly workspace_created_at: Date | null;
  readonly workspace_updated_at: Date | null;
  readonly chart_id: string;
  readonly status: DeployStatus | "";
  readonly status_description: string;
  readonly status_at: Date;
  readonly deployed_id: string | null;
  /** Something of it may be there, though it did not come to a good end. */
  readonly touched_id: string | null;
  readonly latest_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly created_by_id: string;
};

export type TargetFilter = {
  readonly q?: string | undefined;
  readonly labels?: LabelQuery | undefined;
  readonly types?: readonly string[] | undefined;
  readonly isSynced?: boolean | undefined;
};

type Of = { readonly installId: string; readonly configId: string | null };

/** What an install has of components, by name. */
export async function listTargets(
  db: Db,
  org: OrgId,
  { installId, configId, filter }: Of & { readonly filter: TargetFilter },
): Promise<ShownTargetRow[]> {
  const { q, labels, types, isSynced } = filter;
  const type = db`case p.type when 'container_image' then 'external_image' else coalesce(nullif(p.type, ''), 'unknown') end`;
  return db<ShownTargetRow[]>`
    ${selected(db, configId)} join components x on x.org_id = h.org_id and x.id = h.component_id
     where h.org_id = ${org} and h.install_id = ${installId} ${labelledBy(db, db`x.labels`, labels)}
       ${q === undefined ? db`` : db`and strpos(h.name, ${q.toLowerCase()}) > 0`}
       ${types === undefined ? db`` : db`and ${type} = any(${[...types]}::text[])`}
       ${isSynced === undefined ? db`` : db`and (p.id is not null) = ${isSynced}`}
     order by h.name, h.id`;
}

/** What an install has of a component; of the sandbox without one. */
export async function findTarget(
  db: Db,
  org: OrgId,
  { installId, configId, componentId }: Of & { readonly componentId: string | null },
): Promise<ShownTargetRow | undefined> {
  const [row] = await db<ShownTargetRow[]>`
    ${selected(db, configId)}
     where h.org_id = ${org} and h.install_id = ${installId} and coalesce(h.component_id, '') = ${componentId ?? ""}`;
  return row;
}

/** Has a row for each component of a config, and for its sandbox. */
export async function keepTargets(
  db: Db,
  org: OrgId,
  { installId, configId }: { readonly installId: string; readonly configId: string },
): Promise<void> {
  await db`select keep_install_components(${org}, ${installId}, ${configId})`;
}

/** Takes a component as torn down: forgotten, not-found, or open (a workflow of the install is). */
export async function forgetTarget(
  db: Db,
  org: OrgId,
  { installId, componentId }: { readonly installId: string; readonly componentId: string },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select forget_install_component(${org}, ${installId}, ${componentId}) as outcome`;
  return row?.outcome;
}

/** A build by its id, as a deploy needs it. */
export async function findDeployable(
  db: Db,
  org: OrgId,
  { app, id }: { readonly app: string; readonly id: string },
): Promise<
  | {
      readonly component_id: string | null;
      readonly component_type: ComponentType;
      readonly status: string;
    }
  | undefined
> {
  const [row] = await db<
    { component_id: string | null; component_type: ComponentType; status: string }[]
  >`
    select b.component_id, b.component_type, b.status from component_builds b
     where b.org_id = ${org} and b.app_id = ${app} and b.id = ${id}`;
  return row;
}

function selected(db: Db, configId: string | null) {
  return db`
    select h.*, p.type as part_type, w.created_at as workspace_created_at, w.updated_at as workspace_updated_at
      from install_components h
      left join component_configs p on p.app_config_id = ${configId ?? ""} and p.component_id = h.component_id
      left join terraform_workspaces w on w.org_id = h.org_id and w.id = h.workspace_id`;
}
