import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findForeign } from "./find-foreign.ts";

/** What is an install's, by how its ids begin: workspaces, charts, runs of actions. No other name of a plan is looked up. */
const ofInstalls = /^(tfw|hch|awr)_/;

type Named = {
  readonly runnerId: string;
  /** What a plan names, or a job reaches. */
  readonly names: readonly string[];
};

/**
 * Refuses with 403 `foreign_state` what belongs to an install on any runner but its own, whoever asks: its workspaces and charts, and runs of
 * its actions. It is asked when a job is enqueued by hand and again for each use, since a runner may have come to an install, and a
 * name to its owner, in between.
 */
export async function requireOwnState(
  db: Db,
  org: OrgId,
  { runnerId, names }: Named,
): Promise<void> {
  const ids = names.filter((name) => ofInstalls.test(name));
  if (ids.length === 0) return;
  const foreign = await findForeign(db, org, { runnerId, ids });
  if (foreign === undefined) return;
  throw problem.forbidden(
    "foreign_state",
    `${foreign.name} belongs to the install ${foreign.install_id}. Only plans of jobs for that install's own runner may name it.`,
  );
}
