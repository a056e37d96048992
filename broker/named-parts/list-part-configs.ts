import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { configsOf } from "./named-part-queries.ts";

export type PartConfigRow = {
  readonly id: string;
  /** Of the component or runbook. */
  readonly part_id: string;
  readonly app_id: string;
  readonly app_config_id: string;
  readonly app_config_version: number;
  /** That it has in that config. */
  readonly name: string;
  /** Which of its configs it is, from 1. */
  readonly nth: number;
  readonly created_at: Date;
  readonly created_by_id: string;
};

type Wanted = ListRequest & {
  readonly kind: "components" | "runbooks";
  readonly part?: string;
  /** Of this config of the app alone. */
  readonly config?: string;
  readonly id?: string | undefined;
  readonly created?: CreatedFilter;
};

/** The configs of a component or a runbook, or of all that a config has, the newest first. */
export async function listPartConfigs(
  db: Db,
  org: OrgId,
  { kind, part, config, id, created = {}, after, limit, offset }: Wanted,
): Promise<(PartConfigRow & { readonly sort_key: string })[]> {
  const { table, column } = configsOf[kind];
  return db<(PartConfigRow & { sort_key: string })[]>`
    select x.id, x.${db(column)} as part_id, c.app_id, x.app_config_id, c.version as app_config_version, x.name,
           (select count(*)::int from ${db(table)} n where n.${db(column)} = x.${db(column)} and n.id <= x.id) as nth,
           x.created_at, c.created_by_id, x.created_at::text as sort_key
      from ${db(table)} x join app_configs c on c.org_id = x.org_id and c.id = x.app_config_id
     where x.org_id = ${org} and x.id < ${after?.id ?? "~"}
       ${part === undefined ? db`` : db`and x.${db(column)} = ${part}`}
       ${config === undefined ? db`` : db`and x.app_config_id = ${config}`}
       ${id === undefined ? db`` : db`and x.id = ${id}`}
       ${createdWithin(db, db`x.created_at`, created)}
     order by x.id desc limit ${limit} offset ${offset}`;
}
