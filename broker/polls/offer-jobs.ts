import type { Db } from "../database/connect.ts";
import { jobColumns, jobState } from "../jobs/queries.ts";
import type { JobRow } from "../jobs/row.ts";
import type { Poll } from "./parked-polls.ts";

const texts = 1009;
const integers = 1007;

/** Offers each poll one available job of its group, each job to one poll for two seconds; nothing is claimed. */
export async function offerJobs(db: Db, polls: readonly Poll[]): Promise<Map<Poll, JobRow>> {
  const offers = await db<{ waiter: number; job_id: string }[]>`
    select * from offer_jobs(
      ${db.array(
        polls.map((_, at) => at),
        integers,
      )},
      ${db.array(
        polls.map(({ runnerId }) => runnerId),
        texts,
      )},
      ${db.array(
        polls.map(({ groups }) => groupOf(groups)),
        texts,
      )})`;
  const offered = new Map<Poll, JobRow>();
  if (offers.length === 0) return offered;
  const rows = await db<JobRow[]>`
    select ${jobColumns(db)} from runner_job_live live join runner_jobs j on j.org_id = live.org_id and j.id = live.id
           ${jobState(db)}
     where live.id = any(${offers.map(({ job_id }) => job_id)})`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { waiter, job_id } of offers) {
    const poll = polls[waiter];
    const row = byId.get(job_id);
    if (poll !== undefined && row?.status === "available") offered.set(poll, row);
  }
  return offered;
}

/** A tail names one group, or none for any. */
function groupOf(groups: Poll["groups"]): string | null {
  const [first] = groups?.keys() ?? [];
  return first ?? null;
}
