import { formatDuration } from "../shared/duration.ts";

/** How long ago, in its largest unit: "3m", "2d". */
export function formatAge(instant: string, nowMs = Date.now()): string {
  const ageMs = Math.max(0, nowMs - Date.parse(instant));
  const ageS = Math.floor(ageMs / 1000);
  return ageS === 0 ? "0s" : (/^\d+[a-z]+/.exec(formatDuration(ageS * 1e9))?.[0] ?? "0s");
}

/** An instant as it is written, with how long ago in words. */
export function formatInstant(instant: string | null): string {
  return instant === null ? "" : `${instant} (${formatAge(instant)} ago)`;
}
