import type { RunnerJobGroup } from "../../shared/runner-job-types.ts";
import type { JobRow } from "../jobs/row.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { QueueKey } from "../queues/queue-keys.ts";
import type { Claim } from "./claim-jobs.ts";

/** What ends a parked poll: jobs, orders to look at, or a reason to come again. */
export type PollAnswer =
  | { readonly kind: "claims"; readonly claims: readonly Claim[]; readonly hasOrders: boolean }
  | { readonly kind: "offer"; readonly job: JobRow }
  | { readonly kind: "orders" }
  | { readonly kind: "empty" }
  | { readonly kind: "draining" };
export type Poll = ParkedPoll<PollAnswer>;

/** One parked poll. `settle` is called at most once; a poll whose client is gone is removed. */
export type ParkedPoll<Answer> = {
  readonly orgId: OrgId;
  readonly runnerId: string;
  readonly processId: string | null;
  readonly pollId: string | null;
  /** Group → how many jobs it would take; null: one of any group. Empty: it waits for orders only. */
  readonly groups: ReadonlyMap<RunnerJobGroup, number> | null;
  /** Keys of the orders that its process already knows: these do not end the wait. */
  readonly knownOrders: readonly string[];
  /** The version of the settings that its process says it has. */
  readonly knownSettings?: number | undefined;
  /** Third-party runners: the database's time when the poll arrived. */
  readonly parkedSince?: string;
  readonly settle: (answer: Answer) => void;
};

/** Who waits, by runner and by queue, the longest-waiting first. */
export class ParkedPolls<Answer> {
  /** Each with its place in the order in which they came. */
  readonly #places = new Map<ParkedPoll<Answer>, number>();
  readonly #byRunner = new Map<string, Set<ParkedPoll<Answer>>>();
  /** Polls that claim, each under every queue that it takes jobs of. */
  readonly #byQueue = new Map<string, Set<ParkedPoll<Answer>>>();
  readonly #byProcess = new Map<string, ParkedPoll<Answer>>();
  readonly #ofOrg = new Map<OrgId, number>();
  #entered = 0;

  get size(): number {
    return this.#places.size;
  }

  enter(waiter: ParkedPoll<Answer>): void {
    addTo(this.#byRunner, waiter.runnerId, waiter);
    for (const key of queuesOf(waiter)) addTo(this.#byQueue, key, waiter);
    if (waiter.processId !== null) this.#byProcess.set(waiter.processId, waiter);
    this.#ofOrg.set(waiter.orgId, this.countOfOrg(waiter.orgId) + 1);
    this.#places.set(waiter, (this.#entered += 1));
  }

  /** False when it had already left. */
  leave(waiter: ParkedPoll<Answer>): boolean {
    if (!this.#places.delete(waiter)) return false;
    removeFrom(this.#byRunner, waiter.runnerId, waiter);
    for (const key of queuesOf(waiter)) removeFrom(this.#byQueue, key, waiter);
    if (waiter.processId !== null && this.#byProcess.get(waiter.processId) === waiter) {
      this.#byProcess.delete(waiter.processId);
    }
    const left = this.countOfOrg(waiter.orgId) - 1;
    if (left > 0) this.#ofOrg.set(waiter.orgId, left);
    else this.#ofOrg.delete(waiter.orgId);
    return true;
  }

  has(waiter: ParkedPoll<Answer>): boolean {
    return this.#places.has(waiter);
  }

  /** Its place in the order in which polls came: a lower number waits longer. */
  placeOf(waiter: ParkedPoll<Answer>): number {
    return this.#places.get(waiter) ?? Infinity;
  }

  ofRunner(runnerId: string): Iterable<ParkedPoll<Answer>> {
    return this.#byRunner.get(runnerId) ?? [];
  }

  /** Polls that would claim jobs of this queue. */
  ofQueue(key: QueueKey): Iterable<ParkedPoll<Answer>> {
    return this.#byQueue.get(queueName(key)) ?? [];
  }

  countOfRunner(runnerId: string): number {
    return this.#byRunner.get(runnerId)?.size ?? 0;
  }

  countOfOrg(orgId: OrgId): number {
    return this.#ofOrg.get(orgId) ?? 0;
  }

  ofProcess(processId: string): ParkedPoll<Answer> | undefined {
    return this.#byProcess.get(processId);
  }

  runners(): Iterable<string> {
    return this.#byRunner.keys();
  }

  *all(): Iterable<ParkedPoll<Answer>> {
    for (const waiting of this.#byRunner.values()) yield* waiting;
  }
}

type Place = Pick<ParkedPoll<unknown>, "runnerId" | "processId" | "groups">;

function queuesOf({ runnerId, processId, groups }: Place): string[] {
  if (processId === null || groups === null) return [];
  return Array.from(groups.keys(), (jobGroup) => queueName({ runnerId, jobGroup }));
}

function queueName({ runnerId, jobGroup }: QueueKey): string {
  return `${runnerId}/${jobGroup}`;
}

function addTo<Member>(sets: Map<string, Set<Member>>, key: string, member: Member): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([member]));
  else set.add(member);
}

function removeFrom<Member>(sets: Map<string, Set<Member>>, key: string, member: Member): void {
  const set = sets.get(key);
  set?.delete(member);
  if (set?.size === 0) sets.delete(key);
}
