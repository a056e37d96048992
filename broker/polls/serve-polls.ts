import type { Db } from "../database/connect.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import { claimJobs } from "./claim-jobs.ts";
import type { Poll, PollAnswer } from "./dispatcher.ts";
import { offerJobs } from "./offer-jobs.ts";

/** What the database has for these polls now: claims for ours, a look at a job for the others. */
export async function servePolls(
  db: Db,
  wakes: Wakes,
  polls: readonly Poll[],
): Promise<Map<Poll, PollAnswer>> {
  const claims = polls.filter(({ processId }) => processId !== null);
  const tails = polls.filter(({ processId }) => processId === null);
  const answers = new Map<Poll, PollAnswer>();
  await Promise.all([
    serveClaims(db, wakes, { polls: claims, answers }),
    serveTails(db, tails, answers),
  ]);
  return answers;
}

type Serving = { readonly polls: readonly Poll[]; readonly answers: Map<Poll, PollAnswer> };

async function serveClaims(db: Db, wakes: Wakes, { polls, answers }: Serving): Promise<void> {
  if (polls.length === 0) return;
  const requests = polls.map(({ runnerId, processId, pollId, groups }) => ({
    runnerId,
    processId: processId ?? "",
    pollId,
    groups: groups ?? new Map<string, number>(),
  }));
  const claimed = await claimJobs(db, requests);
  for (const [at, poll] of polls.entries()) {
    const claims = claimed[at] ?? [];
    if (claims.length > 0) answers.set(poll, { kind: "claims", claims });
  }
  wakes.tell([...new Set(claimed.flat().map(({ job }) => topics.org(job.org_id)))]);
}

async function serveTails(
  db: Db,
  polls: readonly Poll[],
  answers: Map<Poll, PollAnswer>,
): Promise<void> {
  if (polls.length === 0) return;
  for (const [poll, job] of await offerJobs(db, polls)) answers.set(poll, { kind: "offer", job });
}
