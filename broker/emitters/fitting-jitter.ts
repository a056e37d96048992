import { isCronFault, parseCron } from "../../shared/cron/parse-cron.ts";
import { isZoneFault, parseZone } from "./parse-zone.ts";
import { shortestGap } from "./ticks.ts";

/** So much of a window, in ns, as a schedule in UTC has room for: half of the shortest time between two ticks at most. */
export function fittingJitter(schedule: string, windowNs: number, now: Date): number {
  const [cron, zone] = [parseCron(schedule), parseZone("UTC")];
  if (isCronFault(cron) || isZoneFault(zone)) return 0;
  const gapMs = shortestGap(cron, zone, now);
  return gapMs === undefined ? windowNs : Math.min(windowNs, Math.floor(gapMs / 2) * 1e6);
}
