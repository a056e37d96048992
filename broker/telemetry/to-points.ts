import { hash } from "node:crypto";
import type { MetricsRequest, OtlpMetric, OtlpPoint } from "../../shared/api/otlp.ts";
import { problem } from "../../shared/problem.ts";
import {
  type Plain,
  type PlainAttributes,
  jobAttribute,
  plainAttributes,
  plainDouble,
  plainInteger,
  plainText,
  toMicroseconds,
} from "./plain-attributes.ts";

/** What a series measured last. */
export type NewPoint = {
  readonly job_id: string;
  /** Names the series: the metric with these attributes. */
  readonly series: string;
  readonly name: string;
  readonly kind: MetricKind;
  readonly unit: string;
  readonly description: string;
  readonly attributes: PlainAttributes;
  readonly value: PlainAttributes;
  readonly at_us: number;
};

export const metricKinds = [
  "gauge",
  "sum",
  "histogram",
  "exponential_histogram",
  "summary",
] as const;
export type MetricKind = (typeof metricKinds)[number];

const members = {
  gauge: "gauge",
  sum: "sum",
  histogram: "histogram",
  exponential_histogram: "exponentialHistogram",
  summary: "summary",
} as const satisfies Record<MetricKind, keyof OtlpMetric>;

/** Each point is stored with its resource's attributes: the most text that these may be together. */
const mostAttributesLength = 32 * 1024 * 1024;

/**
 * The latest point of each series of the request, and how many are no points: without an instant. 413 when the
 * attributes of their resources, told with each, are too long.
 */
export function toPoints(request: MetricsRequest): { points: NewPoint[]; malformed: number } {
  const latest = new Map<string, NewPoint>();
  let malformed = 0;
  let length = 0;
  for (const { resource, scopeMetrics } of request.resourceMetrics ?? []) {
    const origin = originOf(plainAttributes(resource?.attributes));
    const metrics = (scopeMetrics ?? []).flatMap((one) => one.metrics ?? []);
    length += origin.text.length * metrics.reduce((sum, metric) => sum + pointsIn(metric), 0);
    if (length > mostAttributesLength) throw problem.tooLarge(mostAttributesLength);
    for (const point of metrics.flatMap((metric) => pointsOf(metric, origin))) {
      const key = point && `${point.job_id} ${point.series}`;
      if (point === undefined || key === undefined) malformed += 1;
      else if ((latest.get(key)?.at_us ?? 0) <= point.at_us) latest.set(key, point);
    }
  }
  return { points: [...latest.values()], malformed };
}

/** A resource's attributes, and in the same words each time. */
type Origin = { readonly attributes: PlainAttributes; readonly text: string };

const originOf = (attributes: PlainAttributes): Origin => ({
  attributes,
  text: sortedText(attributes),
});

const pointsIn = (metric: OtlpMetric): number =>
  metricKinds.reduce((sum, kind) => sum + (metric[members[kind]]?.dataPoints?.length ?? 0), 0);

function pointsOf(metric: OtlpMetric, origin: Origin): (NewPoint | undefined)[] {
  const name = plainText(metric.name, 256);
  return metricKinds.flatMap((kind) => {
    const points = metric[members[kind]]?.dataPoints ?? [];
    return points.map((point) => {
      const atUs = toMicroseconds(point.timeUnixNano);
      if (atUs === undefined) return undefined;
      const own = plainAttributes(point.attributes);
      return {
        job_id: jobAttribute(own) || jobAttribute(origin.attributes),
        series: seriesOf(name, origin, own),
        name,
        kind,
        unit: plainText(metric.unit, 64),
        description: plainText(metric.description, 500),
        attributes: { ...origin.attributes, ...own },
        value: { ...valueOf(point), ...totalOf(metric, kind) },
        at_us: atUs,
      };
    });
  });
}

function seriesOf(name: string, { text }: Origin, own: PlainAttributes): string {
  return hash("sha256", `[${JSON.stringify(name)},${text},${sortedText(own)}]`).slice(0, 32);
}

function sortedText(attributes: PlainAttributes): string {
  return JSON.stringify(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function valueOf(point: OtlpPoint): PlainAttributes {
  const { asInt, asDouble, count, sum, min, max } = point;
  const double = asDouble == null ? undefined : plainDouble(asDouble);
  return defined({
    value: asInt == null ? double : plainInteger(asInt),
    count: count == null ? undefined : plainInteger(count),
    sum: sum == null ? undefined : plainDouble(sum),
    min: min == null ? undefined : plainDouble(min),
    max: max == null ? undefined : plainDouble(max),
    bounds: point.explicitBounds?.slice(0, 256).map(plainDouble),
    buckets: point.bucketCounts?.slice(0, 257).map(plainInteger),
    scale: point.scale,
    quantiles: point.quantileValues
      ?.slice(0, 64)
      .map((one) => [plainDouble(one.quantile ?? 0), plainDouble(one.value ?? 0)]),
  });
}

/** Whether a sum only grows, and what its counts are since. */
function totalOf({ sum }: OtlpMetric, kind: MetricKind): PlainAttributes {
  if (kind !== "sum") return {};
  const temporality = sum?.aggregationTemporality === 1 ? "delta" : "cumulative";
  return { is_monotonic: sum?.isMonotonic ?? false, temporality };
}

function defined(members: Readonly<Record<string, Plain | undefined>>): PlainAttributes {
  const given = Object.entries(members).filter(([, value]) => value != null);
  return Object.fromEntries(given) as PlainAttributes; // without those that are absent
}
