import { formatDuration } from "../../shared/duration.ts";

/** How long ago, in its largest unit: "3m", "2d". */
export function formatAge(instant: string, nowMs = Date.now()): string {
  const ageMs = Math.max(0, nowMs - Date.parse(instant));
  const ageS = Math.floor(ageMs / 1000);
  return ageS === 0 ? "0s" : (/^\d+[a-z]+/.exec(formatDuration(ageS * 1e9))?.[0] ?? "0s");
}

const tenSecondsNs = 10e9;

/** How long something took; short times to the tenth of a second, for that is much of them. */
export function formatTook(ns: number): string {
  const isShort = ns >= 0.9995e9 && ns < tenSecondsNs - 0.05e9;
  return isShort ? `${(ns / 1e9).toFixed(1)}s` : formatDuration(ns);
}

/** An instant as it is written, with how long ago in words. */
export function formatInstant(instant: string | null): string {
  return instant === null ? "" : `${instant} (${formatAge(instant)} ago)`;
}
