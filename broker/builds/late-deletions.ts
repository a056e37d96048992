import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { faultOf } from "../workflows/machine/step-kind.ts";
import type { BuildRow } from "../workflows/machine/workflow-rows.ts";

/** An artifact of an earlier build that is being deleted from the registry, or was not long ago. */
export type LateDeletion = {
  /** Null: of the sandbox. */
  readonly component_id: string | null;
  readonly digest: string;
  /** When it may have been deleted last; null while that may happen at any moment. */
  readonly acted_at: string | null;
};

/** Those of an app. */
export async function listLateDeletions(
  db: Db,
  org: OrgId,
  app: string,
): Promise<readonly LateDeletion[]> {
  const [row] = await db<{ late: LateDeletion[] }[]>`
    select late_artifact_deletions(${org}, ${app}) as late`;
  return row?.late ?? [];
}

/** Why such a build is made again. */
export const madeInVain = faultOf(
  "job_failed",
  "The artifact may be gone",
  "An older build made the same artifact, which was just being deleted from the registry. It is built again.",
);

/** A registry may carry out late what the broker gave up. */
const lateMs = 120_000;

/**
 * Whether what a build has pushed may be gone again: an artifact of the same digest was being deleted while it was built. Whoever deletes announces
 * it first and then looks for open builds, so one of the two sees the other.
 */
export function isDeletedMeanwhile(
  deletions: readonly LateDeletion[],
  { component_id: component, status_at: since }: Pick<BuildRow, "component_id" | "status_at">,
  digest: string,
): boolean {
  const fromMs = Date.parse(since) - lateMs;
  return deletions.some(
    (one) =>
      one.component_id === component &&
      one.digest === digest &&
      (one.acted_at === null || Date.parse(one.acted_at) >= fromMs),
  );
}
