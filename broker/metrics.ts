type Labels = Readonly<Record<string, string>>;
type Read = () => number | Iterable<readonly [Labels, number]>;
type Series = { count: number; sum: number; readonly buckets: number[] };

export type Counter = { readonly add: (labels?: Labels, by?: number) => void };
export type Histogram = { readonly observe: (value: number, labels?: Labels) => void };

/** Keeps what /metrics shows, in the Prometheus text format. Labels are few words, never an id or a URL. */
export type Metrics = {
  readonly counter: (name: string, help: string) => Counter;
  readonly histogram: (name: string, help: string, bounds: readonly number[]) => Histogram;
  /** A value that is read at each scrape, from memory: a scrape never asks the database. */
  readonly gauge: (name: string, help: string, read: Read) => void;
  readonly text: () => string;
};

/** A registry of its own; a name registered twice is a fault. */
export function createMetrics(): Metrics {
  const families = new Map<string, () => string[]>();
  const register = (name: string, type: string, help: string, lines: () => string[]): void => {
    if (families.has(name)) throw new Error(`the metric ${name} is registered twice`);
    families.set(name, () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()]);
  };
  return {
    counter(name, help) {
      const values = new Map<string, number>();
      register(name, "counter", help, () =>
        [...values].map(([key, value]) => `${name}${braced(key)} ${value}`),
      );
      return {
        add: (labels, by = 1) => {
          const key = labelKey(labels);
          values.set(key, (values.get(key) ?? 0) + by);
        },
      };
    },
    histogram(name, help, bounds) {
      const series = new Map<string, Series>();
      register(name, "histogram", help, () =>
        [...series].flatMap(([key, one]) => histogramLines(name, key, bounds, one)),
      );
      return {
        observe: (value, labels) =>
          observe(seriesOf(series, labelKey(labels), bounds), bounds, value),
      };
    },
    gauge(name, help, read) {
      register(name, "gauge", help, () => {
        const value = read();
        const all = typeof value === "number" ? [[{}, value] as const] : [...value];
        return all.map(([labels, one]) => `${name}${braced(labelKey(labels))} ${one}`);
      });
    },
    text: () => `${[...families.values()].flatMap((lines) => lines()).join("\n")}\n`,
  };
}

function seriesOf(all: Map<string, Series>, key: string, bounds: readonly number[]): Series {
  const known = all.get(key);
  if (known !== undefined) return known;
  const fresh = { count: 0, sum: 0, buckets: bounds.map(() => 0) };
  all.set(key, fresh);
  return fresh;
}

function observe(series: Series, bounds: readonly number[], value: number): void {
  series.count += 1;
  series.sum += value;
  const at = bounds.findIndex((bound) => value <= bound);
  if (at !== -1) series.buckets[at] = (series.buckets[at] ?? 0) + 1;
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
