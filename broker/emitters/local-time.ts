import { isZoneFault, parseZone } from "./parse-zone.ts";
import { stretchAt } from "./stretches.ts";

/** An instant as the clocks of a zone show it, with their distance from UTC; in UTC where this Node does not know the zone. */
export function localTime(timeZone: string, at: Date): string {
  const zone = parseZone(timeZone);
  const offset = isZoneFault(zone) ? 0 : stretchAt(zone, at.getTime()).offset;
  const onTheWall = new Date(at.getTime() + offset).toISOString().slice(0, 19);
  const minutes = Math.abs(Math.round(offset / 60_000));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((n) =>
    String(n).padStart(2, "0"),
  );
  return `${onTheWall}${offset < 0 ? "-" : "+"}${hours}:${rest}`;
}
