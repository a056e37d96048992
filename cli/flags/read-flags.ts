import { UsageError } from "../../shared/command-line/usage-error.ts";
import { parseDuration } from "../../shared/duration.ts";

/** The pairs of a repeatable flag like --metadata; a UsageError for one that is no NAME=VALUE. */
export function readPairs(flag: string, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`${flag} must be NAME=VALUE, not "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** A duration flag in nanoseconds; undefined when it is absent. */
export function readDurationNs(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ns = parseDuration(given);
  if (ns === undefined) throw new UsageError(`${flag} must be a duration like 15m or 1h30m.`);
  return ns;
}

/** An instant, given as such or as how long ago; undefined when the flag is absent. */
export function readInstant(flag: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const ns = parseDuration(given);
  if (ns !== undefined) return new Date(Date.now() - ns / 1e6).toISOString();
  if (/^\d{4}-\d\d-\d\dT/.test(given) && !Number.isNaN(Date.parse(given))) {
    return new Date(given).toISOString();
  }
  throw new UsageError(`${flag} must be a duration like 15m or an instant like 2026-11-21T08:30Z.`);
}

/** A whole number; undefined when the flag is absent. */
export function readWhole(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(given)) throw new UsageError(`${flag} must be a whole number.`);
  return Number(given);
}
