import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import { labelledBy, type LabelQuery } from "../labels/label-query.ts";
import type { OrgId } from "../orgs/org-id.ts";

export type ActionRow = {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly config_count: number;
  readonly created_at: Date;
  /** Of the config that is meant, if that has it. */
  readonly config_id: string | null;
  readonly app_config_id: string | null;
};

/** What a list of actions is narrowed to. */
export type ActionFilter = CreatedFilter & {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly q?: string | undefined;
  /** One of these. */
  readonly names?: readonly string[] | undefined;
  /** By key; null: whatever its value is. */
  readonly labels?: LabelQuery | undefined;
};
type ActionsWanted = ListRequest & {
  readonly appId: string;
  readonly configId?: string | undefined;
  readonly filter?: ActionFilter;
};

/** An app's actions with what a config has of them, the newest first; of its active config, unless another one is named. */
export async function listActions(
  db: Db,
  org: OrgId,
  { appId, configId, filter = {}, after, limit, offset }: ActionsWanted,
): Promise<(ActionRow & { readonly sort_key: string })[]> {
  const { id, name, names, q, labels, ...created } = filter;
  return db<(ActionRow & { sort_key: string })[]>`
    select x.id, x.app_id, x.name, x.labels, x.created_at, c.id as config_id, c.app_config_id, x.created_at::text as sort_key,
           (select count(*)::int from action_configs n where n.org_id = x.org_id and n.action_id = x.id) as config_count
      from actions x
      join apps a on a.org_id = x.org_id and a.id = x.app_id
      left join action_configs c on c.org_id = x.org_id and c.action_id = x.id
                                 and c.app_config_id = coalesce(${configId ?? null}, a.active_config_id)
     where x.org_id = ${org} and x.app_id = ${appId} and x.deleted_at is null and a.deleted_at is null and x.id < ${after?.id ?? "~"}
       ${id === undefined ? db`` : db`and x.id = ${id}`}
       ${name === undefined ? db`` : db`and replace(x.name, '-', '_') = replace(${name}, '-', '_')`}
       ${names === undefined ? db`` : db`and x.name = any(${[...names]})`}
       ${q === undefined ? db`` : db`and strpos(x.name, ${q.toLowerCase()}) > 0`}
       ${labelledBy(db, db`x.labels`, labels)}
       ${createdWithin(db, db`x.created_at`, created)}
     order by x.id desc limit ${limit} offset ${offset}`;
}

export type ActionConfigRow = {
  readonly id: string;
  readonly action_id: string;
  readonly app_id: string;
  readonly app_config_id: string;
  readonly version: number;
  readonly status: "active" | "pending" | "syncing" | "error" | "outdated";
  readonly created_at: Date;
};

/** The configs of an action, or of all that a config has, the newest first. */
export async function listActionConfigs(
  db: Db,
  org: OrgId,
  {
    actionId,
    configId,
    id,
    created = {},
    after,
    limit,
    offset,
  }: ListRequest & {
    actionId?: string;
    configId?: string;
    id?: string;
    created?: CreatedFilter;
  },
): Promise<(ActionConfigRow & { readonly sort_key: string })[]> {
  return db<(ActionConfigRow & { sort_key: string })[]>`
    select x.id, x.action_id, c.app_id, x.app_config_id, c.version, c.status, x.created_at, x.created_at::text as sort_key
      from action_configs x join app_configs c on c.org_id = x.org_id and c.id = x.app_config_id
     where x.org_id = ${org} and x.id < ${after?.id ?? "~"}
       ${actionId === undefined ? db`` : db`and x.action_id = ${actionId}`}
       ${configId === undefined ? db`` : db`and x.app_config_id = ${configId}`}
       ${id === undefined ? db`` : db`and x.id = ${id}`}
       ${createdWithin(db, db`x.created_at`, created)}
     order by x.id desc limit ${limit} offset ${offset}`;
}
