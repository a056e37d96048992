import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { BuildRow } from "../workflows/machine/workflow-rows.ts";
import type { BuiltArtifact } from "./built-artifact.ts";

/** An artifact of an earlier build that is being deleted from the registry, or was not long ago. */
export type LateDeletion = {
  /** Null: of the sandbox. */
  readonly component_id: string | null;
  readonly digest: string;
  /** When it may have been deleted last; null while that may happen at any moment. */
  readonly acted_at: string | null;
};

/** A registry may carry out late what the broker gave up. */
const lateMs = 120_000;

type Building = Pick<BuildRow, "status" | "component_id" | "status_at">;

/** Those of an app that touch what these builds may have pushed. */
export async function listLateDeletions(
  db: Db,
  org: OrgId,
  { app, builds }: { readonly app: string; readonly builds: readonly Building[] },
): Promise<readonly LateDeletion[]> {
  const building = builds.filter(({ status }) => status === "building");
  if (building.length === 0) return [];
  const components = [...new Set(building.map(({ component_id: id }) => id ?? ""))];
  const sinceMs = Math.min(...building.map(({ status_at: at }) => Date.parse(at))) - lateMs;
  const [row] = await db<{ late: LateDeletion[] }[]>`
    select artifact_deletions_since(${org}, ${app}, ${components}::text[], ${new Date(sinceMs).toISOString()}::text::timestamptz) as late`;
  return row?.late ?? [];
}

const indexTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];

/**
 * When nothing takes away any more what a build has pushed, where an artifact of the same digest was being deleted while it was built: an instant, or
 * null while that is not known; undefined where nothing does. Of an index it may be any artifact: it names what was there already. Whoever deletes
 * announces it first and then looks for open builds, so one of the two sees the other.
 */
export function endOfLateDeletions(
  deletions: readonly LateDeletion[],
  { component_id: component, status_at: since }: Pick<BuildRow, "component_id" | "status_at">,
  { digest, media_type: type = "" }: BuiltArtifact,
): string | null | undefined {
  const fromMs = Date.parse(since) - lateMs;
  const late = deletions.filter(
    (one) =>
      one.component_id === component &&
      (one.digest === digest || indexTypes.includes(type)) &&
      (one.acted_at === null || Date.parse(one.acted_at) >= fromMs),
  );
  if (late.length === 0) return undefined;
  const ends = late.flatMap(({ acted_at: at }) => at ?? []);
  if (ends.length < late.length) return null;
  return new Date(Math.max(...ends.map((at) => Date.parse(at))) + lateMs).toISOString();
}
