import type {
  AvailabilityPeriod,
  RunnerAvailability,
  RunnerStrips,
} from "../../shared/api/runner-availability.ts";
import { problem } from "../../shared/problem.ts";
import type { TimeRange } from "../../shared/stats-steps.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import {
  availabilityOf,
  gapsOf,
  type Period,
  periodsOf,
  stripOf,
  timeInStates,
} from "./availability.ts";
import { listRunnerHistories } from "./list-runner-histories.ts";
import { findNow, listCovered } from "./queries.ts";
import type { RetainStatsDays } from "./stats-settings.ts";

type Parts = {
  readonly db: Db;
  readonly config: { readonly retainStatsDays: RetainStatsDays };
};

const bucketMs = 15 * 60_000;
const stripMs = 24 * 3600_000;
const dayMs = 24 * 3600_000;
const mostPeriods = 500;

/** How runners were in the last 24 hours, by quarters of an hour. */
export async function readStrips(
  parts: Parts,
  org: OrgId,
  ids: readonly string[],
): Promise<RunnerStrips> {
  const nowMs = await findNow(parts.db);
  const fromMs = Math.floor((nowMs - stripMs) / bucketMs) * bucketMs + bucketMs;
  const range = { fromMs, toMs: nowMs };
  const found = await periodsOfRunners(parts, org, { ids, range });
  const toMs = fromMs + stripMs;
  return {
    as_of: iso(nowMs),
    from: iso(fromMs),
    to: iso(toMs),
    bucket: bucketMs * 1e6,
    items: found.map(({ runnerId, periods }) => ({
      runner_id: runnerId,
      availability: availabilityOf(timeInStates(periods)),
      periods: stripOf(periods, { fromMs, toMs }, bucketMs).map(toPeriod),
    })),
  };
}

/** How one runner was in a window that ends now; another org's is not found. */
export async function readAvailability(
  parts: Parts,
  org: OrgId,
  { runnerId, windowMs }: { readonly runnerId: string; readonly windowMs: number },
): Promise<RunnerAvailability> {
  const nowMs = await findNow(parts.db);
  const range = { fromMs: nowMs - windowMs, toMs: nowMs };
  const [found] = await periodsOfRunners(parts, org, { ids: [runnerId], range });
  if (found === undefined) throw problem.notFound("runner");
  const timeMs = timeInStates(found.periods);
  return {
    as_of: iso(nowMs),
    runner_id: runnerId,
    from: iso(range.fromMs),
    to: iso(nowMs),
    availability: availabilityOf(timeMs),
    time_in: {
      active: wholeNs(timeMs.active),
      degraded: wholeNs(timeMs.degraded),
      offline: wholeNs(timeMs.offline),
      "shut-down": wholeNs(timeMs["shut-down"]),
      "no-data": wholeNs(timeMs["no-data"]),
    },
    periods: found.periods.slice(-mostPeriods).map(toPeriod),
  };
}

/** Instants come with their microseconds, as fractions of milliseconds. */
const wholeNs = (ms: number): number => Math.round(ms * 1e6);

async function periodsOfRunners(
  { db, config }: Parts,
  org: OrgId,
  { ids, range }: { readonly ids: readonly string[]; readonly range: TimeRange },
): Promise<{ readonly runnerId: string; readonly periods: readonly Period[] }[]> {
  const covering = { ...range, widthS: widthFor(range, config.retainStatsDays) };
  const [histories, covered] = await Promise.all([
    listRunnerHistories(db, org, { ids: [...new Set(ids)], sinceMs: range.fromMs }),
    listCovered(db, covering),
  ]);
  const gaps = gapsOf(covered, covering);
  return histories.map((history) => ({
    runnerId: history.runner_id,
    periods: periodsOf(history, { range, gaps }),
  }));
}

/** The narrowest rollups that are kept for all of a range. */
function widthFor({ fromMs, toMs }: TimeRange, days: RetainStatsDays): number {
  const isKept = (width: 60 | 300) => toMs - fromMs < days[width] * dayMs;
  return isKept(60) ? 60 : isKept(300) ? 300 : 3600;
}

function toPeriod({ state, paused, draining, fromMs, toMs }: Period): AvailabilityPeriod {
  return { state, paused, draining, from: iso(fromMs), to: iso(toMs) };
}

const iso = (ms: number): string => new Date(ms).toISOString();
