import { isLockTimeout } from "../database/database-errors.ts";
import { settleWithin } from "../database/driver-workarounds.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { makeContendedOrgs } from "./contended-orgs.ts";
import type { Poll, PollAnswer } from "./parked-polls.ts";

export type Served = ReadonlyMap<Poll, PollAnswer>;
export type PollServing = {
  readonly serve: (polls: readonly Poll[]) => Promise<Served>;
  /** The same for the polls of one org, another way: its locks hold the others up. */
  readonly serveOrgAlone: (orgId: OrgId, polls: readonly Poll[]) => Promise<Served>;
  readonly onError: (error: unknown) => void;
};

export type PollBatches = {
  /** Serves them together; orgs whose locks do not come free are served by themselves, and not waited for. Never rejects. */
  readonly serve: (polls: readonly Poll[]) => Promise<void>;
  /** Resolves when the look that is made for this poll just now, if one is, is over. */
  readonly served: (poll: Poll) => Promise<void>;
  /** Resolves when no look is under way. */
  readonly settled: () => Promise<void>;
};

type Parts = PollServing & { readonly deliver: (served: Served) => void };
type Look = { readonly polls: ReadonlySet<Poll>; readonly over: Promise<unknown> };

/** Looks at the database for polls. */
export function makePollBatches({ serve, serveOrgAlone, onError, deliver }: Parts): PollBatches {
  const looks = new Set<Look>();
  const contended = makeContendedOrgs<Poll>((orgId, polls) =>
    during(polls, serveOrg(orgId, polls)),
  );

  async function serveKind(polls: readonly Poll[]): Promise<void> {
    if (polls.length > 0) await during(polls, serveAll(polls));
  }

  async function serveAll(polls: readonly Poll[]): Promise<void> {
    try {
      deliver(await settleWithin(serve(polls)));
    } catch (error) {
      if (isLockTimeout(error)) contended.serveSeparately(polls);
      else onError(error); // who waits goes on waiting; the next scan looks again
    }
  }

  async function serveOrg(orgId: OrgId, polls: readonly Poll[]): Promise<boolean> {
    try {
      deliver(await settleWithin(serveOrgAlone(orgId, polls)));
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  async function during<Result>(polls: readonly Poll[], over: Promise<Result>): Promise<Result> {
    const look = { polls: new Set(polls), over };
    looks.add(look);
    try {
      return await over;
    } finally {
      looks.delete(look);
    }
  }

  return {
    async serve(polls) {
      const ours = contended.withoutContended(polls);
      const claims = ours.filter(({ processId }) => processId !== null);
      const tails = ours.filter(({ processId }) => processId === null);
      await Promise.all([serveKind(claims), serveKind(tails)]);
    },
    async served(poll) {
      for (const { polls, over } of looks) if (polls.has(poll)) await over;
    },
    async settled() {
      await Promise.all(Array.from(looks, ({ over }) => over));
    },
  };
}
