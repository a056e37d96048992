import type postgres from "postgres";
import type { Db } from "../database/connect.ts";

/** Labels to search by; null: whatever the key's value is. */
export type LabelQuery = ReadonlyMap<string, string | null>;

/** Labels to search by, of `k:v,k2=v2,k3`. */
export function readLabelQuery(text: string | undefined): LabelQuery {
  const labels = new Map<string, string | null>();
  for (const part of (text ?? "").split(",").filter((one) => one.trim() !== "")) {
    const [, key = "", value] = /^([^:=]*)(?:[:=](.*))?$/su.exec(part.trim()) ?? [];
    labels.set(key, value === undefined || value === "*" ? null : value);
  }
  return labels;
}

/** Narrows a list to rows that have all these labels in this column. */
export function labelledBy(
  db: Db,
  column: postgres.Fragment,
  labels: LabelQuery | undefined,
): postgres.Fragment {
  if (labels === undefined || labels.size === 0) return db``;
  const valued = Object.fromEntries([...labels].filter(([, value]) => value !== null));
  return db`and ${column} @> ${JSON.stringify(valued)}::text::jsonb and ${column} ?& ${[...labels.keys()]}::text[]`;
}
