import type { OrgId } from "../orgs/org-id.ts";
import type { ClaimedSignal, ClaimRequest } from "./claim-signals.ts";

/** What ends a parked claim. */
export type ClaimAnswer =
  | { readonly kind: "signals"; readonly signals: readonly ClaimedSignal[] }
  | { readonly kind: "paused"; readonly note: string | null; readonly until: Date | null }
  | { readonly kind: "gone" }
  | { readonly kind: "empty" }
  | { readonly kind: "draining" };

/** One parked claim. `settle` is called at most once; a claim whose client is gone is removed. */
export type ParkedClaim = ClaimRequest & { readonly settle: (answer: ClaimAnswer) => void };

/** Who waits for signals of one queue. */
export type Line = {
  readonly orgId: OrgId;
  readonly queueId: string;
  /** The longest-waiting first. */
  readonly claims: Set<ParkedClaim>;
  /** New ones with a claim_id: they may repeat a claim whose answer was lost. */
  readonly fresh: Set<ParkedClaim>;
};

/** Who waits, by queue. */
export class ParkedClaims {
  readonly #lines = new Map<string, Line>();
  readonly #byClaimId = new Map<string, ParkedClaim>();
  readonly #ofOrg = new Map<OrgId, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enter(claim: ParkedClaim): Line {
    const { orgId, queueId } = claim;
    let line = this.#lines.get(queueId);
    if (line === undefined) {
      line = { orgId, queueId, claims: new Set(), fresh: new Set() };
      this.#lines.set(queueId, line);
    }
    line.claims.add(claim);
    if (claim.claimId !== null) this.#byClaimId.set(nameOf(claim), claim);
    this.#ofOrg.set(orgId, this.countOfOrg(orgId) + 1);
    this.#size += 1;
    return line;
  }

  /** False when it had already left. */
  leave(claim: ParkedClaim): boolean {
    const line = this.#lines.get(claim.queueId);
    if (line?.claims.delete(claim) !== true) return false;
    line.fresh.delete(claim);
    if (line.claims.size === 0) this.#lines.delete(claim.queueId);
    if (this.#byClaimId.get(nameOf(claim)) === claim) this.#byClaimId.delete(nameOf(claim));
    const left = this.countOfOrg(claim.orgId) - 1;
    if (left > 0) this.#ofOrg.set(claim.orgId, left);
    else this.#ofOrg.delete(claim.orgId);
    this.#size -= 1;
    return true;
  }

  has(claim: ParkedClaim): boolean {
    return this.#lines.get(claim.queueId)?.claims.has(claim) === true;
  }

  lineOf(queueId: string): Line | undefined {
    return this.#lines.get(queueId);
  }

  /** The claim that is parked with the same claim_id. */
  repetitionOf(claim: ClaimRequest): ParkedClaim | undefined {
    return claim.claimId === null ? undefined : this.#byClaimId.get(nameOf(claim));
  }

  countOfQueue(queueId: string): number {
    return this.#lines.get(queueId)?.claims.size ?? 0;
  }

  countOfOrg(orgId: OrgId): number {
    return this.#ofOrg.get(orgId) ?? 0;
  }

  queueIds(): Iterable<string> {
    return this.#lines.keys();
  }

  *all(): Iterable<ParkedClaim> {
    for (const { claims } of this.#lines.values()) yield* claims;
  }
}

const nameOf = ({ queueId, claimId }: ClaimRequest): string => `${queueId} ${claimId}`;
