import { isLockTimeout } from "../database/database-errors.ts";
import { settleWithin } from "../database/driver-workarounds.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { makeContendedOrgs } from "./contended-orgs.ts";
import type { Poll, PollAnswer } from "./parked-polls.ts";
import type { Searches } from "./searches.ts";

export type Served = ReadonlyMap<Poll, PollAnswer>;
export type PollServing = {
  readonly serve: (polls: readonly Poll[]) => Promise<Served>;
  /** The same for the polls of one org, separately, because it waits for locks. */
  readonly serveOrgAlone: (orgId: OrgId, polls: readonly Poll[]) => Promise<Served>;
  readonly onError: (error: unknown) => void;
};

/** Serves polls together; orgs whose locks do not come free are served by themselves, and not waited for. Never rejects. */
export type ServePolls = (polls: readonly Poll[]) => Promise<void>;

type Parts = PollServing & {
  readonly searches: Searches;
  readonly deliver: (served: Served) => void;
};

/** Looks for work for polls in the database. */
export function makePollBatches(parts: Parts): ServePolls {
  const { searches, serve, serveOrgAlone, onError, deliver } = parts;
  const contended = makeContendedOrgs<Poll>((orgId, polls) =>
    searches.during(polls, serveOrg(orgId, polls)),
  );

  async function serveKind(polls: readonly Poll[]): Promise<void> {
    if (polls.length > 0) await searches.during(polls, serveAll(polls));
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

  return async (polls) => {
    const ours = contended.withoutContended(polls);
    const claims = ours.filter(({ processId }) => processId !== null);
    const tails = ours.filter(({ processId }) => processId === null);
    await Promise.all([serveKind(claims), serveKind(tails)]);
  };
}
