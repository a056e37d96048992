/** How a job ended here: the reported status, or that it was given back or abandoned. */
export type JobEnd = {
  readonly type: string;
  readonly status: string;
  readonly durationMs: number;
};

/** Counts the jobs that ended since the agent started. */
export type JobMetrics = {
  readonly add: (end: JobEnd) => void;
  readonly counts: () => readonly { type: string; status: string; count: number }[];
  /** A histogram of durations for each job type: cumulative buckets, sum and count. */
  readonly durations: () => readonly Durations[];
};

export type Durations = {
  readonly type: string;
  readonly sum: number;
  readonly count: number;
  readonly atMost: readonly (readonly [seconds: number, count: number])[];
};

const bounds = [1, 5, 15, 60, 300, 900, 1800, 3600, 10_800];
/** The number of types is limited, so that a broker cannot fill the agent's memory with made-up types. */
const mostKinds = 200;
const otherKind = "other";

/** Makes empty metrics. */
export function makeJobMetrics(): JobMetrics {
  const counts = new Map<string, { type: string; status: string; count: number }>();
  const took = new Map<string, { sum: number; each: number[] }>();
  const countOf = (type: string, status: string) => {
    const key = `${type} ${status}`;
    const found = counts.get(key) ?? { type, status, count: 0 };
    counts.set(key, found);
    return found;
  };
  const tookOf = (type: string) => {
    const found = took.get(type) ?? { sum: 0, each: bounds.map(() => 0).concat(0) };
    took.set(type, found);
    return found;
  };
  return {
    add({ type: given, status, durationMs }) {
      const type = took.has(given) || took.size < mostKinds ? given : otherKind;
      countOf(type, status).count += 1;
      const seconds = durationMs / 1000;
      const entry = tookOf(type);
      entry.sum += seconds;
      const at = bounds.findIndex((bound) => seconds <= bound);
      const place = at === -1 ? bounds.length : at;
      entry.each[place] = (entry.each[place] ?? 0) + 1;
    },
    counts: () => [...counts.values()],
    durations: () =>
      [...took].map(([type, { sum, each }]) => {
        let count = 0;
        const all = each.map((one) => (count += one));
        return { type, sum, count, atMost: bounds.map((bound, at) => [bound, all[at] ?? 0]) };
      }),
  };
}
