/** What an org may keep for a shorter time than the broker does, with the fewest days that it may ask for. */
export const fewestRetainedDays = {
  jobs: 1,
  logs: 1,
  heart_beats: 1,
  health_checks: 1,
  audit: 7, // else who shortens it is told by nobody a day later
} as const;

export type Retained = keyof typeof fewestRetainedDays;

export const retainedKinds = Object.keys(fewestRetainedDays) as readonly Retained[];
