import type { Cron } from "../../shared/cron/cron.ts";
import { isCronFault, parseCron } from "../../shared/cron/parse-cron.ts";
import { isZoneFault, parseZone, type Zone } from "./parse-zone.ts";
import type { EmitterRow } from "./row.ts";

type Written = Pick<EmitterRow, "cron_schedule" | "time_zone">;
type Schedule = { readonly cron: Cron; readonly zone: Zone };

/** The expression and the zone of an emitter of mode cron; throws where another broker's Node knew more than this one's. */
export function scheduleOf({ cron_schedule: text, time_zone }: Written): Schedule {
  const cron = parseCron(text ?? "");
  const zone = parseZone(time_zone);
  if (isCronFault(cron)) throw new Error(`its schedule cannot be read: ${cron.message}`);
  if (isZoneFault(zone)) throw new Error(`its time zone cannot be read: ${zone.message}`);
  return { cron, zone };
}

/** The same; undefined where it cannot be read. */
export function readableSchedule(row: Written): Schedule | undefined {
  try {
    return scheduleOf(row);
  } catch {
    return undefined;
  }
}
