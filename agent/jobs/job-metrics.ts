/** How a job ended here: the status that is reported of it, or that it was given back or given up to the broker. */
export type JobEnd = {
  readonly type: string;
  readonly status: string;
  readonly durationMs: number;
};

/** What ended here since the agent began. */
export type JobMetrics = {
  readonly add: (end: JobEnd) => void;
  readonly counts: () => readonly { type: string; status: string; count: number }[];
  /** Of each type how many took so many seconds at most, how long all took together, and how many there are. */
  readonly durations: () => readonly Durations[];
};

export type Durations = {
  readonly type: string;
  readonly sum: number;
  readonly count: number;
  readonly atMost: readonly (readonly [seconds: number, count: number])[];
};

const bounds = [1, 5, 15, 60, 300, 900, 1800, 3600, 10_800];
/** A broker that makes types up does not fill the memory of its agents. */
const mostKinds = 200;
const otherKind = "other";

/** A record with nothing in it. */
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
