import { LRUCache } from "lru-cache";
import type { Db } from "../database/connect.ts";
import type { HotPath } from "../limits/hot-path.ts";
import type { Log } from "../log.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import { ClaimDispatcher } from "./claim-dispatcher.ts";
import { type ClaimedSignal, claimSignals, type UnopenedSignal } from "./claim-signals.ts";
import type { ReportSignal } from "./report-signal.ts";
import { returnSignals } from "./return-signals.ts";

export type SignalClaims = {
  readonly dispatcher: ClaimDispatcher;
  /** Queues that are known to be, and whose they are. */
  readonly knownQueues: LRUCache<string, OrgId>;
  /** Gives back signals whose claims could not be delivered. */
  readonly giveBack: (signals: readonly ClaimedSignal[]) => void;
  /** Looks for signals that a lost wake-up may have hidden; called at intervals, and after LISTEN was disconnected. */
  readonly scan: () => Promise<void>;
  /** Ends every parked claim now and every later one at once; resolves when looks in progress have ended. */
  readonly drain: () => Promise<void>;
  readonly isDraining: () => boolean;
};

export type SignalClaimsOptions = {
  readonly db: Db;
  readonly hotPath: HotPath;
  readonly seals: Seals;
  readonly wakes: Wakes;
  readonly log: Log;
  readonly reportSignal: ReportSignal;
  /** Called with the number of claims of each look. */
  readonly onBatch: (claims: number) => void;
};

const mostKnown = 50_000;
const prefix = "signals:";

/** Where claims of signals wait and are served. */
export function makeSignalClaims(parts: SignalClaimsOptions): SignalClaims {
  const { db, hotPath, seals, wakes, log, onBatch } = parts;
  let draining = false;
  const dispatcher = new ClaimDispatcher({
    serve: (requests) => {
      onBatch(requests.length);
      return claimSignals({ db: hotPath.db, seals }, requests);
    },
    serveOrgAlone: (orgId, requests) =>
      hotPath.runAlone(orgId, (around) => claimSignals({ db: around, seals }, requests)),
    giveBack: (signals) => giveBack(parts, signals),
    onUnopened: (signals) => failUnopened(parts, signals),
    onError: (error) => log.error({ err: error }, "could not serve parked claims; retrying soon"),
  });
  const { parked } = dispatcher;
  wakes.subscribe(prefix, (topic) => dispatcher.look([topic.slice(prefix.length)]));
  return {
    dispatcher,
    knownQueues: new LRUCache({ max: mostKnown }),
    giveBack: (signals) => giveBack(parts, signals),
    scan: async () => {
      if (parked.size === 0) return;
      dispatcher.retry();
      const rows = await db<{ id: string }[]>`
        select id from queues_to_look_at(${[...parked.queueIds()]}::text[]) q (id)`;
      dispatcher.look(rows.map(({ id }) => id));
    },
    drain: async () => {
      draining = true;
      for (const claim of parked.all()) {
        if (parked.leave(claim)) claim.settle({ kind: "draining" });
      }
      await dispatcher.settled();
    },
    isDraining: () => draining,
  };
}

function giveBack({ hotPath, wakes, log }: SignalClaimsOptions, signals: readonly ClaimedSignal[]) {
  // What a claim repeats may be with its worker already.
  const rows = signals.map(({ row }) => row).filter(({ repeated }) => !repeated);
  if (rows.length === 0) return;
  returnSignals(hotPath.db, rows).then(
    (queueIds) => wakes.notify(queueIds.map(topics.signals)),
    (error: unknown) =>
      // It goes back when its lease runs out.
      log.warn(
        { err: error, signal_ids: rows.map(({ id }) => id) },
        "could not give back undelivered signals",
      ),
  );
}

/** It waits as after any failure, for a broker that has the key; at last it is dead, and says why. */
function failUnopened(
  { reportSignal, log }: SignalClaimsOptions,
  signals: readonly UnopenedSignal[],
) {
  for (const { row, why } of signals) {
    const { id: signalId, org_id: orgId, queue_id: queueId, lease_id: leaseId } = row;
    log.error({ signal_id: signalId, key_id: row.key_id }, `a signal cannot be claimed: ${why}`);
    const description = `The broker could not open it: ${why}`;
    reportSignal({ orgId, queueId, signalId, leaseId, event: "fail", description }).catch(
      (error: unknown) =>
        // It goes back when its lease runs out.
        log.warn({ err: error, signal_id: signalId }, "could not put off an unreadable signal"),
    );
  }
}
