import type { Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import type { Seals } from "../seals/seals.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import { type Claimed, claimJobs, mostClaims } from "./claim-jobs.ts";
import { offerJobs } from "./offer-jobs.ts";
import type { Poll, PollAnswer } from "./parked-polls.ts";
import type { PendingOrders } from "./pending-orders.ts";

export type ServeParts = {
  readonly db: Db;
  readonly seals: Seals;
  readonly log: Log;
  readonly wakes: Wakes;
  readonly orders: PendingOrders;
  /** Called when there may be more jobs for these runners than one statement claims. */
  readonly lookAgain: (runnerIds: readonly string[]) => void;
};

/** What the database has for these polls now: claims or orders for our agents, an offered job for the others. */
export async function servePolls(
  parts: ServeParts,
  polls: readonly Poll[],
): Promise<Map<Poll, PollAnswer>> {
  const claims = polls.filter(({ processId }) => processId !== null);
  const tails = polls.filter(({ processId }) => processId === null);
  const answers = new Map<Poll, PollAnswer>();
  const halves = await Promise.allSettled([
    serveClaims(parts, claims, answers),
    serveTails(parts.db, tails, answers),
  ]);
  const failed = halves.find(({ status }) => status === "rejected");
  // The other half's claims must reach their polls; the rest are looked at again soon.
  if (failed?.status === "rejected" && answers.size === 0) throw failed.reason;
  return answers;
}

async function serveClaims(
  { db, seals, log, wakes, orders, lookAgain }: ServeParts,
  polls: readonly Poll[],
  answers: Map<Poll, PollAnswer>,
): Promise<void> {
  if (polls.length === 0) return;
  const requests = polls.map(({ runnerId, processId, pollId, groups }) => ({
    runnerId,
    processId: processId ?? "",
    pollId,
    groups: groups ?? new Map<string, number>(),
  }));
  const claimed = await claimJobs({ db, seals, log }, requests);
  await answerClaims({ orders, wakes }, { polls, claimed }, answers);
  const count = claimed.reduce((sum, one) => sum + one.claims.length, 0);
  if (count === mostClaims) lookAgain(polls.map(({ runnerId }) => runnerId));
}

type Claiming = { readonly polls: readonly Poll[]; readonly claimed: readonly Claimed[] };

/** What the polls hear of what was claimed for each: their jobs, which no failure takes away, or else orders that are new. */
export async function answerClaims(
  { orders, wakes }: Pick<ServeParts, "orders" | "wakes">,
  { polls, claimed }: Claiming,
  answers: Map<Poll, PollAnswer>,
): Promise<void> {
  const ordered: Poll[] = [];
  for (const [at, poll] of polls.entries()) {
    const { claims = [], hasOrders = false } = claimed[at] ?? {};
    if (claims.length > 0) answers.set(poll, { kind: "claims", claims, hasOrders });
    else if (hasOrders) ordered.push(poll);
  }
  const orgs = claimed.flatMap(({ claims }) => claims.map(({ job }) => topics.org(job.org_id)));
  wakes.notify([...new Set(orgs)]);
  for (const poll of ordered) {
    if (await orders.areNew(poll)) answers.set(poll, { kind: "orders" });
  }
}

async function serveTails(
  db: Db,
  polls: readonly Poll[],
  answers: Map<Poll, PollAnswer>,
): Promise<void> {
  if (polls.length === 0) return;
  for (const [poll, job] of await offerJobs(db, polls)) answers.set(poll, { kind: "offer", job });
}
