import type postgres from "postgres";
import { labelKeyLimits } from "../../shared/api/label-keys.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";

type Values = Readonly<Record<string, string[]>>;
type OfBound = { readonly bound: Bound | null };

/** The keys of installs' labels, with their values. */
export async function listInstallLabelKeys(
  db: Db,
  org: OrgId,
  { appId, bound }: OfBound & { readonly appId: string | undefined },
): Promise<Values> {
  return listKeys(
    db,
    db`
    select i.labels from installs i
     where i.org_id = ${org} and i.deleted_at is null ${boundTo(db, "installs", bound)}
       ${appId === undefined ? db`` : db`and i.app_id = ${appId}`}`,
  );
}

/** The keys of the labels that apps give their installs, with their values. */
export async function listAppLabelKeys(db: Db, org: OrgId, { bound }: OfBound): Promise<Values> {
  return listKeys(
    db,
    db`
    select a.default_labels as labels from apps a
     where a.org_id = ${org} and a.deleted_at is null ${boundTo(db, "apps", bound)}`,
  );
}

/** The keys of the labels of what an app has of a kind by name, with their values. */
export async function listPartLabelKeys(
  db: Db,
  org: OrgId,
  { kind, appId }: { readonly kind: "actions" | "components"; readonly appId: string },
): Promise<Values> {
  return listKeys(
    db,
    db`
    select x.labels from ${db(kind)} x
     where x.org_id = ${org} and x.app_id = ${appId} and x.deleted_at is null`,
  );
}

async function listKeys(db: Db, labelled: postgres.Fragment): Promise<Values> {
  const rows = await db<{ key: string; values: string[] }[]>`
    select n.key, array_agg(n.value order by n.value collate "C") as values
      from (select p.key, p.value, row_number() over (partition by p.key order by p.value collate "C") as n,
                   dense_rank() over (order by p.key collate "C") as k
              from (select distinct e.key, e.value from (${labelled}) t cross join lateral jsonb_each_text(t.labels) e) p) n
     where n.k <= ${labelKeyLimits.keys} and n.n <= ${labelKeyLimits.values}
     group by n.key order by n.key collate "C"`;
  return Object.fromEntries(rows.map(({ key, values }) => [key, values]));
}
