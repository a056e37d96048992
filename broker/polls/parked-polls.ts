import type { RunnerJobGroup } from "../../shared/runner-job-types.ts";
import type { JobRow } from "../jobs/row.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Claim } from "./claim-jobs.ts";

/** What ends a parked poll: jobs, orders to look at, or a reason to come again. */
export type PollAnswer =
  | { readonly kind: "claims"; readonly claims: readonly Claim[]; readonly hasOrders: boolean }
  | { readonly kind: "offer"; readonly job: JobRow }
  | { readonly kind: "orders" }
  | { readonly kind: "empty" }
  | { readonly kind: "draining" };
export type Poll = ParkedPoll<PollAnswer>;

/** One parked poll. `settle` is called once at most; a poll whose client is gone is never in the room. */
export type ParkedPoll<Answer> = {
  readonly orgId: OrgId;
  readonly runnerId: string;
  readonly processId: string | null;
  readonly pollId: string | null;
  /** Group → how many jobs it would take; null: one of any group. Empty: it waits for orders only. */
  readonly groups: ReadonlyMap<RunnerJobGroup, number> | null;
  /** Keys of the orders that its process says it knows: they alone do not end the wait. */
  readonly knownOrders: readonly string[];
  /** The version of the settings that its process says it has. */
  readonly knownSettings?: number | undefined;
  /** Third-party runners: the database's instant when it came. */
  readonly parkedSince?: string;
  readonly settle: (answer: Answer) => void;
};

/** Who waits, by runner, the longest-waiting first. */
export class ParkedPolls<Answer> {
  readonly #byRunner = new Map<string, Set<ParkedPoll<Answer>>>();
  readonly #byProcess = new Map<string, ParkedPoll<Answer>>();
  readonly #ofOrg = new Map<OrgId, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enter(waiter: ParkedPoll<Answer>): void {
    const waiting = this.#byRunner.get(waiter.runnerId) ?? new Set();
    this.#byRunner.set(waiter.runnerId, waiting.add(waiter));
    if (waiter.processId !== null) this.#byProcess.set(waiter.processId, waiter);
    this.#ofOrg.set(waiter.orgId, this.countOfOrg(waiter.orgId) + 1);
    this.#size += 1;
  }

  /** False when it had left before. */
  leave(waiter: ParkedPoll<Answer>): boolean {
    const waiting = this.#byRunner.get(waiter.runnerId);
    if (waiting?.delete(waiter) !== true) return false;
    if (waiting.size === 0) this.#byRunner.delete(waiter.runnerId);
    if (waiter.processId !== null && this.#byProcess.get(waiter.processId) === waiter) {
      this.#byProcess.delete(waiter.processId);
    }
    const left = this.countOfOrg(waiter.orgId) - 1;
    if (left > 0) this.#ofOrg.set(waiter.orgId, left);
    else this.#ofOrg.delete(waiter.orgId);
    this.#size -= 1;
    return true;
  }

  has(waiter: ParkedPoll<Answer>): boolean {
    return this.#byRunner.get(waiter.runnerId)?.has(waiter) === true;
  }

  ofRunner(runnerId: string): Iterable<ParkedPoll<Answer>> {
    return this.#byRunner.get(runnerId) ?? [];
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
