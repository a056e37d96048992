import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireOwnInstall } from "../tokens/bound/require-within.ts";
import { insertChart } from "./queries.ts";
import type { HelmChartRow } from "./row.ts";

/** Creates a chart without releases. */
export async function createChart(
  db: Db,
  actor: Pick<Actor, "bound" | "id" | "orgId" | "requestSeed">,
  owner: Pick<HelmChartRow, "owner_id" | "owner_type">,
): Promise<HelmChartRow> {
  await requireOwnInstall(db, actor, owner);
  const { id: created_by_id, orgId } = actor;
  const row = await insertChart(db, orgId, {
    id: keyedId("hch", actor.requestSeed),
    ...owner,
    created_by_id,
  });
  if (row === undefined) throw new Error("a chart was inserted and did not come back");
  return row;
}
