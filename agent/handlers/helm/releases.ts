import type { Job } from "../../jobs/handler.ts";
import type { ReleaseRecords, Revision } from "./release-records.ts";

type Kept = { readonly job: Job; readonly records: ReleaseRecords };

/**
 * The stored revisions of a release, oldest first; none when it is not installed. The same key returns the same
 * answer, also after a restart of the agent. Throws JobFailure.
 */
export async function listRevisions({ job, records }: Kept, key: string): Promise<Revision[]> {
  return await job.once(key, async () => await readRevisions(records));
}

/** The stored revisions as they are now. */
export async function readRevisions(records: ReleaseRecords): Promise<Revision[]> {
  const found = await records.list();
  return found.toSorted((one, other) => one.revision - other.revision);
}

/** The newest deployed revision; undefined when there is none. */
export function deployedIn(revisions: readonly Revision[]): Revision | undefined {
  return revisions.findLast(({ status }) => status === "deployed");
}

/** Whether helm is changing the release, or was killed while it did. */
export function pendingIn(revisions: readonly Revision[]): Revision | undefined {
  const last = revisions.at(-1);
  return last?.status.startsWith("pending-") === true ? last : undefined;
}
