import { isFinal } from "../../shared/runner-job.ts";
import type { Broker } from "../broker.ts";
import { park } from "../clocks/park.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireJob } from "./read-job.ts";
import type { JobRow } from "./row.ts";

type Waiting = {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Takes a permit for a read; none is held while it is parked. */
  readonly withPermit: WithPermit;
};

/** The job as soon as it has ended, or its present state when the time is up; 404 when there is none. */
export async function waitForJob(
  { db, events }: Pick<Broker, "db" | "events">,
  org: OrgId,
  jobId: string,
  { waitMs, signal, withPermit }: Waiting,
): Promise<JobRow> {
  const read = (): Promise<JobRow> => withPermit(() => requireJob(db, org, jobId));
  const first = await read();
  if (isFinal(first.status)) return first;
  const end = Promise.withResolvers<void>();
  const leave = await events.subscribe(org, ({ told }) => {
    if (told.has(jobId)) end.resolve();
  });
  try {
    // Read again: it may have ended before we subscribed.
    const second = await read();
    if (isFinal(second.status)) return second;
    await park({ waitMs, until: end.promise, signals: [signal, events.draining] });
    return signal.aborted ? second : await read();
  } finally {
    leave();
  }
}
