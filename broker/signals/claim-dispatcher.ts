import { LRUCache } from "lru-cache";
import { isLockTimeout } from "../database/database-errors.ts";
import { settleWithin } from "../database/driver-workarounds.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Claimed, ClaimedSignal, ClaimRequest, UnopenedSignal } from "./claim-signals.ts";
import { DirtyQueues } from "./dirty-queues.ts";
import { type ClaimAnswer, type Line, type ParkedClaim, ParkedClaims } from "./parked-claims.ts";

type Parts = {
  readonly serve: (requests: readonly ClaimRequest[]) => Promise<Claimed>;
  /** The same for the claims of one org, separately, because it waits for locks. */
  readonly serveOrgAlone: (orgId: OrgId, requests: readonly ClaimRequest[]) => Promise<Claimed>;
  /** Takes signals back whose claim has left in the meantime. */
  readonly giveBack: (signals: readonly ClaimedSignal[]) => void;
  readonly onUnopened: (signals: readonly UnopenedSignal[]) => void;
  readonly onError: (error: unknown) => void;
};

const mostQueues = 64;
const mostClaims = 256;
/** The longest-waiting claims of a queue that one look serves; where all of them got some, it looks again. */
const mostOfQueue = 16;
/** New claims that may repeat an earlier one, of one queue in one look. */
const mostFresh = 64;
const apartForMs = 10_000;
const mostApart = 1_000;

type Ask = { readonly claim: ParkedClaim; readonly want: number };

/**
 * Serves parked claims. Queues with news are looked at in batches: one statement claims for all of them, for those who
 * wait longest. One batch is in progress at a time; orgs whose locks do not come free are served by themselves.
 */
export class ClaimDispatcher {
  readonly parked = new ParkedClaims();
  readonly #parts: Parts;
  readonly #dirty = new DirtyQueues();
  /** Those of the dirty queues that may have signals; in the others claims are only repeated. */
  readonly #withNews = new Set<string>();
  readonly #serving = new Set<ParkedClaim>();
  readonly #overdue = new Set<ParkedClaim>();
  readonly #contended = new LRUCache<OrgId, true>({ max: mostApart, ttl: apartForMs });
  readonly #moving = new Map<OrgId, Promise<void>>();
  #running: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Answers an older claim with the same claim_id, which this one repeats: what it might get is for this one. */
  endOlder(claim: ClaimRequest): void {
    const older = this.parked.repetitionOf(claim);
    if (older !== undefined && this.parked.leave(older)) older.settle({ kind: "empty" });
  }

  /** Parks a claim, of a queue of its org; no other one with its claim_id is parked. */
  park(claim: ParkedClaim): void {
    const line = this.parked.enter(claim);
    if (claim.claimId !== null) line.fresh.add(claim);
    // Where others wait already, there is nothing for one more; but it may repeat a claim.
    if (line.claims.size === 1) this.look([claim.queueId]);
    else if (claim.claimId !== null) {
      this.#dirty.add(line.orgId, line.queueId);
      this.look([]);
    }
  }

  /** Its wait is over: it is answered empty, but not while somebody looks for it. */
  expire(claim: ParkedClaim): void {
    const { orgId, queueId } = claim;
    const isPending = this.#serving.has(claim) || this.#dirty.has(orgId, queueId);
    if (isPending && this.parked.has(claim)) {
      this.#overdue.add(claim);
      return;
    }
    this.#overdue.delete(claim);
    if (this.parked.leave(claim)) claim.settle({ kind: "empty" });
  }

  /** Looks again for the claims of these queues. */
  look(queueIds: Iterable<string>): void {
    for (const queueId of queueIds) {
      const line = this.parked.lineOf(queueId);
      if (line === undefined) continue;
      this.#withNews.add(queueId);
      this.#dirty.add(line.orgId, queueId);
    }
    this.#running ??= this.#run();
  }

  /** Looks again for claims whose look failed. */
  retry(): void {
    const { parked } = this;
    this.look([...parked.queueIds()].filter((id) => (parked.lineOf(id)?.fresh.size ?? 0) > 0));
  }

  /** Resolves when no look is in progress. */
  async settled(): Promise<void> {
    await this.#running;
    await Promise.all(this.#moving.values());
  }

  async #run(): Promise<void> {
    // At the end of this turn of the event loop, so that what has already arrived is included.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      for (let asks = this.#takeAsks(); asks.length > 0; asks = this.#takeAsks()) {
        const isApart = ({ claim }: Ask): boolean => this.#contended.has(claim.orgId);
        this.#serveApart(asks.filter(isApart));
        await this.#serveTogether(asks.filter((ask) => !isApart(ask)));
      }
    } finally {
      this.#running = undefined;
    }
  }

  #takeAsks(): Ask[] {
    const asks: Ask[] = [];
    for (let queues = 0; queues < mostQueues && asks.length < mostClaims; queues += 1) {
      const queueId = this.#dirty.take((orgId) => this.#moving.has(orgId));
      if (queueId === undefined) break;
      const hasNews = this.#withNews.delete(queueId);
      const line = this.parked.lineOf(queueId);
      if (line !== undefined) asks.push(...this.#asksOf(line, hasNews));
    }
    for (const { claim } of asks) this.#serving.add(claim);
    return asks;
  }

  #asksOf(line: Line, hasNews: boolean): Ask[] {
    const first = hasNews ? firstOf(line.claims, mostOfQueue) : [];
    for (const claim of first) line.fresh.delete(claim);
    const fresh = firstOf(line.fresh, mostFresh);
    for (const claim of fresh) line.fresh.delete(claim);
    if (line.fresh.size > 0) this.#dirty.add(line.orgId, line.queueId);
    return [
      ...first.map((claim) => ({ claim, want: claim.want })),
      ...fresh.map((claim) => ({ claim, want: 0 })),
    ];
  }

  async #serveTogether(asks: readonly Ask[]): Promise<void> {
    if (asks.length === 0) return;
    try {
      this.#deliver(asks, await settleWithin(this.#parts.serve(asks.map(toRequest))));
    } catch (error) {
      if (isLockTimeout(error)) this.#serveApart(asks);
      else this.#putOff(asks, error);
    }
  }

  #serveApart(asks: readonly Ask[]): void {
    for (const [orgId, its] of Map.groupBy(asks, ({ claim }) => claim.orgId)) {
      this.#moving.set(orgId, this.#serveOrg(orgId, its));
    }
  }

  async #serveOrg(orgId: OrgId, asks: readonly Ask[]): Promise<void> {
    try {
      const claimed = this.#parts.serveOrgAlone(orgId, asks.map(toRequest));
      this.#deliver(asks, await settleWithin(claimed));
      this.#contended.delete(orgId);
    } catch (error) {
      this.#contended.set(orgId, true);
      this.#putOff(asks, error);
    }
    this.#moving.delete(orgId);
    this.look([]);
  }

  #deliver(asks: readonly Ask[], { claims, unopened, notices }: Claimed): void {
    for (const [at, { claim }] of asks.entries()) {
      this.#serving.delete(claim);
      this.#hand(claim, claims[at] ?? []);
    }
    if (unopened.length > 0) this.#parts.onUnopened(unopened);
    const hasClaimed = unopened.length > 0 || claims.some(({ length }) => length > 0);
    for (const { queueId, notice } of notices) {
      if (notice.kind !== "more") this.#settleLine(queueId, notice);
      else if (hasClaimed) this.look([queueId]); // without progress it waits for news: what is there may have expired
    }
    this.#settleOverdue();
  }

  #hand(claim: ParkedClaim, signals: readonly ClaimedSignal[]): void {
    if (signals.length === 0) return;
    const receiver = this.parked.has(claim) ? claim : this.parked.repetitionOf(claim);
    if (receiver !== undefined && this.parked.leave(receiver)) {
      receiver.settle({ kind: "signals", signals });
    } else this.#parts.giveBack(signals);
  }

  #settleLine(queueId: string, answer: ClaimAnswer): void {
    for (const claim of this.parked.lineOf(queueId)?.claims ?? []) {
      if (this.parked.leave(claim)) claim.settle(answer);
    }
  }

  /** They go on waiting; the next scan looks again. */
  #putOff(asks: readonly Ask[], error: unknown): void {
    this.#parts.onError(error);
    for (const { claim } of asks) {
      this.#serving.delete(claim);
      if (this.parked.has(claim)) this.parked.lineOf(claim.queueId)?.fresh.add(claim);
    }
    this.#settleOverdue();
  }

  #settleOverdue(): void {
    for (const claim of this.#overdue) this.expire(claim);
  }
}

const toRequest = ({ claim, want }: Ask): ClaimRequest => ({ ...claim, want });

function firstOf<One>(all: Iterable<One>, most: number): One[] {
  const first: One[] = [];
  for (const one of all) {
    if (first.length === most) break;
    first.push(one);
  }
  return first;
}
