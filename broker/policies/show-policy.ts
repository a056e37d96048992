import { z } from "zod";
import { problem } from "../../shared/problem.ts";
import { showPart } from "../app-configs/show-parts.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** A policy of an app's active config; 404 where it has it not. */
export async function showPolicy(
  db: Db,
  org: OrgId,
  { app, id }: { readonly app: string; readonly id: string },
): Promise<Readonly<Record<string, unknown>>> {
  const part = await showPart(db, org, { app, id: undefined }, "policies");
  const found = listed.parse(part).policies.find((one) => one.id === id);
  if (found === undefined) throw problem.notFound("policy");
  return found;
}

const listed = z.object({ policies: z.array(z.looseObject({ id: z.string() })) });
