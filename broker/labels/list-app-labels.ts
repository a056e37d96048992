import {
  type AppLabels,
  defaultLabelColors,
  labelKeyLimits,
  labelledKinds,
} from "../../shared/api/label-keys.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

type Kind = (typeof labelledKinds)[number];
type KeyRow = {
  readonly key: string;
  readonly values: string[];
  readonly entity_types: Kind[];
  readonly usage_count: number;
};
type Colors = Readonly<Record<string, string>>;

/** The keys of labels of an app's installs, components, actions and runbooks, with values and colors; these are the colors that the app gives. */
export async function listAppLabels(
  db: Db,
  org: OrgId,
  { appId, colors }: { readonly appId: string; readonly colors: Colors },
): Promise<AppLabels> {
  const rows = await listUses(db, org, appId);
  return {
    labels: rows.map((row) => {
      const default_color = colorOf(row.key);
      const color = Object.hasOwn(colors, row.key) ? colors[row.key] : undefined;
      return {
        ...row,
        entity_types: labelledKinds.filter((kind) => row.entity_types.includes(kind)),
        color: color ?? default_color,
        default_color,
        is_override: color !== undefined,
      };
    }),
    label_colors: colors,
    default_colors: [...defaultLabelColors],
  };
}

async function listUses(db: Db, org: OrgId, app: string): Promise<KeyRow[]> {
  const labelled = labelledKinds.map(
    (kind, at) => db`
      ${at === 0 ? db`` : db`union all`}
      select ${kind}::text as kind, x.labels from ${db(`${kind}s`)} x
       where x.org_id = ${org} and x.app_id = ${app} and x.deleted_at is null`,
  );
  return db<KeyRow[]>`
    with used as materialized (
      select t.kind, e.key, e.value from (${labelled}) t cross join lateral jsonb_each_text(t.labels) e
    ), keys as (
      select u.key, count(*)::int as usage_count, array_agg(distinct u.kind) as entity_types
        from used u group by u.key order by u.key collate "C" limit ${labelKeyLimits.keys}
    )
    select k.key, k.usage_count, k.entity_types, v.values
      from keys k
     cross join lateral (select array_agg(d.value order by d.value collate "C") as values
                           from (select distinct u.value collate "C" as value from used u where u.key = k.key
                                  order by 1 limit ${labelKeyLimits.values}) d) v
     order by k.key collate "C"`;
}

/** The same for a key each time. */
function colorOf(key: string): string {
  let sum = 0;
  for (const letter of key) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return defaultLabelColors[sum % defaultLabelColors.length] ?? defaultLabelColors[0];
}
