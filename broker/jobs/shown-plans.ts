import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";

const thing = (orgId: string, id: string) => ({ orgId, id, part: "shown-plan" });

/** The masked twin of a plan of an approval or a job, as \`write_workflow\` takes it. */
export function sealShownPlan(
  seals: Seals,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  text: string,
): { readonly key_id: string | null; readonly base64: string } {
  const { keyId, bytes } = seals.seal(thing(orgId, id), Buffer.from(text));
  return { key_id: keyId, base64: bytes.toString("base64") };
}

/** What people may see of the plan of an approval or a job; undefined: it was made by a version that made no twins. */
export async function findShownPlan(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  id: string,
): Promise<string | undefined> {
  const [row] = await db<{ key_id: string | null; contents: Buffer }[]>`
    select p.key_id, p.contents from shown_plans p where p.org_id = ${org} and p.id = ${id}`;
  if (row === undefined) return undefined;
  return seals.open(thing(org, id), { keyId: row.key_id, bytes: row.contents }).toString("utf8");
}
