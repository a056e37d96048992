import type { Cron } from "./cron.ts";
import { isCronFault, parseCron } from "./parse-cron.ts";
import { isZoneFault, parseZone, type Zone } from "./parse-zone.ts";
import type { EmitterRow } from "./row.ts";

/** The expression and the zone of an emitter of mode cron. */
export function scheduleOf({
  cron_schedule: text,
  time_zone,
}: Pick<EmitterRow, "cron_schedule" | "time_zone">): {
  readonly cron: Cron;
  readonly zone: Zone;
} {
  const cron = parseCron(text ?? "");
  const zone = parseZone(time_zone);
  if (isCronFault(cron)) throw new Error(`its schedule cannot be read: ${cron.message}`);
  if (isZoneFault(zone)) throw new Error(`its time zone cannot be read: ${zone.message}`);
  return { cron, zone };
}
