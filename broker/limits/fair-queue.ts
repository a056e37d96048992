/** Whose request it is: permits are shared out between orgs first, then between an org's tokens. */
export type PermitOwner = { readonly orgId: string; readonly token: string };
export type Release = () => void;

export type FairQueueParts = {
  /** The most requests with a permit at once. */
  readonly permits: number;
  /** The most of one org, and of one token in an org, however many are free. */
  readonly mostOfOrg?: number;
  readonly mostOfToken?: number;
  /** What happens to a request that waited this long. */
  readonly patienceMs: number;
  readonly tooLate: () => Error;
  /** Throws when an owner with this many requests, running or waiting, may have no more. */
  readonly admit: (token: number, org: number) => void;
};

type Waiter = {
  readonly token: TokenPermits;
  readonly give: (release: Release) => void;
  readonly timer: NodeJS.Timeout;
};
type TokenPermits = {
  readonly org: OrgPermits;
  readonly name: string;
  held: number;
  waiting: Set<Waiter>;
};
type OrgPermits = {
  readonly id: string;
  held: number;
  waiting: number;
  tokens: Map<string, TokenPermits>;
};

/**
 * Shares a few permits out among many: an org may take one while it has fewer than are free, a token of it while it has
 * less than half as many as are free. So one org alone has at most half of them, several have less each, and a new
 * owner finds a free one, whatever the others wait for. Waiting requests are served in turn: org by org, and in an org
 * token by token.
 */
export class FairQueue {
  readonly #parts: FairQueueParts;
  /** In the order of their turns. */
  readonly #orgs = new Map<string, OrgPermits>();
  #held = 0;
  #waiting = 0;

  constructor(parts: FairQueueParts) {
    this.#parts = parts;
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How many of an org are held or waited for. */
  ofOrg(orgId: string): number {
    const org = this.#orgs.get(orgId);
    return org === undefined ? 0 : org.held + org.waiting;
  }

  /**
   * A permit, as a function that releases it; a promise when the request has to wait. `onLeave` gets a function that removes the
   * request from the queue, for when its client goes away.
   */
  take(owner: PermitOwner, onLeave: (leave: () => void) => void): Release | Promise<Release> {
    const token = this.#tokenOf(owner);
    try {
      this.#parts.admit(token.held + token.waiting.size, token.org.held + token.org.waiting);
    } catch (error) {
      this.#forget(token);
      throw error;
    }
    if (token.waiting.size === 0 && this.#may(token)) return this.#permit(token);
    return this.#wait(token, onLeave);
  }

  #wait(token: TokenPermits, onLeave: (leave: () => void) => void): Promise<Release> {
    return new Promise((give, reject) => {
      const leave = (): void => {
        if (this.#remove(waiter)) reject(this.#parts.tooLate());
      };
      const timer = setTimeout(leave, this.#parts.patienceMs);
      const waiter: Waiter = { token, give, timer };
      token.waiting.add(waiter);
      token.org.waiting += 1;
      this.#waiting += 1;
      onLeave(leave);
    });
  }

  /** False when it is no longer waiting. */
  #remove(waiter: Waiter): boolean {
    const { token } = waiter;
    if (!token.waiting.delete(waiter)) return false;
    clearTimeout(waiter.timer);
    token.org.waiting -= 1;
    this.#waiting -= 1;
    this.#forget(token);
    return true;
  }

  #may(token: TokenPermits): boolean {
    const { permits, mostOfOrg = Infinity, mostOfToken = Infinity } = this.#parts;
    if (token.org.held >= mostOfOrg || token.held >= mostOfToken) return false;
    const free = permits - this.#held;
    return token.org.held < free && (token.held === 0 || token.held * 2 < free);
  }

  #permit(token: TokenPermits): Release {
    token.held += 1;
    token.org.held += 1;
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      token.held -= 1;
      token.org.held -= 1;
      this.#held -= 1;
      this.#forget(token);
      this.#serve();
    };
  }

  /** Gives free permits to waiting requests, each org and each token in turn. */
  #serve(): void {
    while (this.#waiting > 0 && this.#held < this.#parts.permits) {
      const waiter = this.#next();
      if (waiter === undefined) return;
      this.#remove(waiter);
      waiter.give(
        this.#permit(this.#tokenOf({ orgId: waiter.token.org.id, token: waiter.token.name })),
      );
    }
  }

  #next(): Waiter | undefined {
    for (const org of this.#orgs.values()) {
      if (org.waiting === 0) continue;
      for (const token of org.tokens.values()) {
        const [waiter] = token.waiting;
        if (waiter === undefined || !this.#may(token)) continue;
        org.tokens.delete(token.name);
        org.tokens.set(token.name, token);
        this.#orgs.delete(org.id);
        this.#orgs.set(org.id, org);
        return waiter;
      }
    }
    return undefined;
  }

  #tokenOf({ orgId, token: name }: PermitOwner): TokenPermits {
    let org = this.#orgs.get(orgId);
    if (org === undefined) {
      org = { id: orgId, held: 0, waiting: 0, tokens: new Map() };
      this.#orgs.set(orgId, org);
    }
    let token = org.tokens.get(name);
    if (token === undefined) {
      token = { org, name, held: 0, waiting: new Set() };
      org.tokens.set(name, token);
    }
    return token;
  }

  /** Owners without requests are removed. */
  #forget(token: TokenPermits): void {
    const { org, name } = token;
    if (token.held > 0 || token.waiting.size > 0) return;
    org.tokens.delete(name);
    if (org.tokens.size === 0) this.#orgs.delete(org.id);
  }
}
