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
    select n.key, sum(n.uses)::int as usage_count, array_agg(distinct n.kind) as entity_types,
           array_agg(distinct n.value collate "C" order by n.value collate "C") filter (where n.nth <= ${labelKeyLimits.values}) as values
      from (select p.*, dense_rank() over (partition by p.key order by p.value collate "C") as nth,
                   dense_rank() over (order by p.key collate "C") as nth_key
              from (select t.kind, e.key, e.value, count(*) as uses
                      from (${labelled}) t cross join lateral jsonb_each_text(t.labels) e group by t.kind, e.key, e.value) p) n
     where n.nth_key <= ${labelKeyLimits.keys}
     group by n.key order by n.key collate "C"`;
}

/** The same for a key each time. */
function colorOf(key: string): string {
  let sum = 0;
  for (const letter of key) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return defaultLabelColors[sum % defaultLabelColors.length] ?? defaultLabelColors[0];
}
