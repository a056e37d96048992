import { LRUCache } from "lru-cache";

declare const isZone: unique symbol;

/** The name of a time zone that Intl knows. */
export type Zone = string & { readonly [isZone]: true };

export type ZoneFault = {
  readonly fault: "zone";
  readonly field: "time zone";
  readonly found: string;
  readonly allowed: string;
  readonly message: string;
};

/** A look at Intl takes 60 µs. The names in all cases of letters are many more than the zones. */
const zones = new LRUCache<string, string>({ max: 1000 });

/** The zone of a name of the IANA database, in any case of letters; UTC without one. */
export function parseZone(text = "UTC"): Zone | ZoneFault {
  // Intl takes offsets too ("+02:00"), whose clocks nobody puts forward: who writes one most likely means a place.
  if (/^[a-z][a-z0-9_+/-]{1,63}$/i.test(text)) {
    const known = zones.get(text) ?? findZone(text);
    if (known !== undefined) {
      zones.set(text, known);
      return known as Zone;
    }
  }
  const found = JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
  const allowed = "a name of the IANA time zone database, such as UTC or Europe/Berlin";
  const message = `time zone ${found} is not known; write ${allowed}`;
  return { fault: "zone", field: "time zone", found, allowed, message };
}

/** Tells a fault from a zone. */
export function isZoneFault(parsed: Zone | ZoneFault): parsed is ZoneFault {
  return typeof parsed !== "string";
}

/** Intl answers Asia/Calcutta to Asia/Kolkata: only how letters are written is taken from it. */
function findZone(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions();
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}
