import type { Job } from "../../jobs/handler.ts";
import type { ReleaseRecords, Revision } from "./release-records.ts";

type Kept = { readonly job: Job; readonly records: ReleaseRecords };

/**
 * The revisions of a release that are kept, oldest first; none where it is not installed. Asked again by the same key,
 * also after a restart of the agent, it answers the same. Throws JobFailure.
 */
export async function listRevisions({ job, records }: Kept, key: string): Promise<Revision[]> {
  return await job.once(key, async () => await readRevisions(records));
}

/** The same as they are now. */
export async function readRevisions(records: ReleaseRecords): Promise<Revision[]> {
  const found = await records.list();
  return found.toSorted((one, other) => one.revision - other.revision);
}

/** The newest revision that is deployed; undefined where none is. */
export function deployedIn(revisions: readonly Revision[]): Revision | undefined {
  return revisions.findLast(({ status }) => status === "deployed");
}

/** Whether somebody's helm is at work on the release, or died at it. */
export function pendingIn(revisions: readonly Revision[]): Revision | undefined {
  const last = revisions.at(-1);
  return last?.status.startsWith("pending-") === true ? last : undefined;
}
