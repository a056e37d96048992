export type Labels = Readonly<Record<string, string>>;
type Read = () => number | Iterable<readonly [Labels, number]>;
type ReadSeries = () => Iterable<readonly [Labels, Series]>;
/** The count of values in each bucket; `count` also has those beyond the last bound. */
export type Series = { count: number; sum: number; readonly buckets: number[] };

/** Adds one, or more; `labelled` answers the same for one combination, to keep where it is counted often. */
export type Counter = {
  readonly add: (labels?: Labels, by?: number) => void;
  readonly labelled: (labels: Labels) => () => void;
};
export type Histogram = {
  readonly observe: (value: number, labels?: Labels) => void;
  readonly labelled: (labels: Labels) => (value: number) => void;
};

/** Keeps what /metrics shows, in the Prometheus text format. Labels are few words, never an id or a URL. */
export type Metrics = {
  readonly counter: (name: string, help: string) => Counter;
  readonly histogram: (name: string, help: string, bounds: readonly number[]) => Histogram;
  /** A value that is read at each scrape, from memory: a scrape never asks the database. */
  readonly gauge: (name: string, help: string, read: Read) => void;
  /** A value that only grows and is counted elsewhere, read like a gauge. */
  readonly total: (name: string, help: string, read: Read) => void;
  /** A histogram that is counted elsewhere, read like a gauge. */
  readonly distribution: (
    name: string,
    help: string,
    bounds: readonly number[],
    read: ReadSeries,
  ) => void;
  readonly text: () => string;
};

/** A new registry; registering a name twice is a bug. */
export function createMetrics(): Metrics {
  const families = new Map<string, () => string[]>();
  const register = (name: string, type: string, help: string, lines: () => string[]): void => {
    if (families.has(name)) throw new Error(`the metric ${name} is registered twice`);
    families.set(name, () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()]);
  };
  return {
    counter(name, help) {
      const all = new Map<string, { value: number }>();
      register(name, "counter", help, () =>
        [...all].map(([key, { value }]) => `${name}${braced(key)} ${value}`),
      );
      const of = (labels?: Labels) => entry(all, labelKey(labels), () => ({ value: 0 }));
      return {
        add: (labels, by = 1) => void (of(labels).value += by),
        labelled(labels) {
          const one = of(labels);
          return () => void (one.value += 1);
        },
      };
    },
    histogram(name, help, bounds) {
      const all = new Map<string, Series>();
      register(name, "histogram", help, () =>
        [...all].flatMap(([key, series]) => histogramLines(name, key, bounds, series)),
      );
      const fresh = () => ({ count: 0, sum: 0, buckets: bounds.map(() => 0) });
      const of = (labels?: Labels) => entry(all, labelKey(labels), fresh);
      return {
        observe: (value, labels) => observe(of(labels), bounds, value),
        labelled(labels) {
          const series = of(labels);
          return (value) => observe(series, bounds, value);
        },
      };
    },
    gauge: (name, help, read) => register(name, "gauge", help, () => valueLines(name, read())),
    total: (name, help, read) => register(name, "counter", help, () => valueLines(name, read())),
    distribution(name, help, bounds, read) {
      register(name, "histogram", help, () =>
        [...read()].flatMap(([labels, one]) => histogramLines(name, labelKey(labels), bounds, one)),
      );
    },
    text: () => `${[...families.values()].flatMap((lines) => lines()).join("\n")}\n`,
  };
}

function entry<Value>(all: Map<string, Value>, key: string, fresh: () => Value): Value {
  const known = all.get(key) ?? fresh();
  all.set(key, known);
  return known;
}

function observe(series: Series, bounds: readonly number[], value: number): void {
  series.count += 1;
  series.sum += value;
  let at = 0;
  while (at < bounds.length && value > (bounds[at] ?? Infinity)) at += 1;
  if (at < bounds.length) series.buckets[at] = (series.buckets[at] ?? 0) + 1;
}

function valueLines(name: string, value: ReturnType<Read>): string[] {
  const all = typeof value === "number" ? [[{}, value] as const] : [...value];
  return all.map(([labels, one]) => `${name}${braced(labelKey(labels))} ${one}`);
}

function histogramLines(
  name: string,
  key: string,
  bounds: readonly number[],
  series: Series,
): string[] {
  let total = 0;
  const comma = key === "" ? "" : ",";
  const buckets = bounds.map((bound, at) => {
    total += series.buckets[at] ?? 0;
    return `${name}_bucket{${key}${comma}le="${bound}"} ${total}`;
  });
  return [
    ...buckets,
    `${name}_bucket{${key}${comma}le="+Inf"} ${series.count}`,
    `${name}_sum${braced(key)} ${series.sum}`,
    `${name}_count${braced(key)} ${series.count}`,
  ];
}

function labelKey(labels: Labels | undefined): string {
  if (labels === undefined) return "";
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function escaped(value: string): string {
  return value.replace(/["\\\n]/g, (char) => (char === "\n" ? String.raw`\n` : `\\${char}`));
}

function braced(key: string): string {
  return key === "" ? "" : `{${key}}`;
}
