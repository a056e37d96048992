import type { Stored } from "../../shared/api/part-record.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { requireListable } from "../app-configs/require-listable.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

export type ConfigPart = Stored & { readonly name: string };
/** What a config says of something, and the names of the components that it lists as needed. */
export type FoundPart = { readonly part: ConfigPart; readonly needs: readonly string[] };
type Wanted = { readonly configId: string | null; readonly name: string };

/** What configs say of components or runbooks, in the order of these; 422 where the configs are too long for one answer. */
export async function findParts(
  db: Db,
  org: OrgId,
  kind: "components" | "runbooks",
  wanted: readonly Wanted[],
): Promise<(FoundPart | undefined)[]> {
  const ids = [...new Set(wanted.flatMap(({ configId }) => configId ?? []))];
  await requireListable(db, org, ids);
  const found = new Map<string, FoundPart>();
  for (const id of ids) {
    const names = new Set(
      wanted.filter(({ configId }) => configId === id).map(({ name }) => nameKey(name)),
    );
    const document = await storedDocument(db, org, id);
    for (const part of document?.[kind] ?? [])
      if (names.has(nameKey(part.name))) {
        const needs = part.dependencies ?? [];
        found.set(keyOf({ configId: id, name: part.name }), { part, needs });
      }
  }
  return wanted.map((one) => found.get(keyOf(one)));
}

const keyOf = ({ configId, name }: Wanted): string => `${configId ?? ""} ${nameKey(name)}`;
