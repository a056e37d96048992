import { z } from "zod";
import { headers, httpUrl, whole } from "../setting-schemas.ts";

const timeoutMs = whole(1, 600_000);

/** The settings of the collector: OpenTelemetry's own variables, so that existing settings work here, too. */
export const collectorSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    doc: "A collector that gets the runners' traces and metrics too, over OTLP/HTTP: at /v1/traces and /v1/metrics there.",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: httpUrl.optional(),
    doc: "The whole URL for traces, where it is another.",
  },
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: {
    schema: httpUrl.optional(),
    doc: "The whole URL for metrics, where it is another.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: headers.optional(),
    doc: "Headers for the collector: name=value,name=value; values percent-encoded.",
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    schema: headers.optional(),
    doc: "Those for traces, in place of the common ones.",
  },
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: {
    schema: headers.optional(),
    doc: "Those for metrics, in place of the common ones.",
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    schema: timeoutMs.default(10_000),
    doc: "How long the collector may take for a request, in milliseconds.",
  },
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: {
    schema: timeoutMs.optional(),
    doc: "The same for traces, where it is another.",
  },
  OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: {
    schema: timeoutMs.optional(),
    doc: "The same for metrics, where it is another.",
  },
  OTEL_SDK_DISABLED: {
    schema: z.string().default("false"),
    doc: "With true, nothing is passed on to a collector.",
  },
} as const;

type Read = {
  readonly [Name in keyof typeof collectorSettings]: z.output<
    (typeof collectorSettings)[Name]["schema"]
  >;
};

/** The endpoint, headers and timeout for one signal. */
export type CollectorTarget = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
};

export type CollectorConfig = Readonly<Record<"traces" | "metrics", CollectorTarget | undefined>>;

/** OpenTelemetry's rules: a signal's own setting is used as it is, else the common one; a common URL gets the signal's path. */
export function collectorOf(read: Read): CollectorConfig {
  const targetOf = (kind: "TRACES" | "METRICS"): CollectorTarget | undefined => {
    const common = read.OTEL_EXPORTER_OTLP_ENDPOINT;
    const usual = common === undefined ? undefined : `${common}/v1/${kind.toLowerCase()}`;
    const url = read[`OTEL_EXPORTER_OTLP_${kind}_ENDPOINT`] ?? usual;
    if (url === undefined || read.OTEL_SDK_DISABLED.toLowerCase() === "true") return undefined;
    return {
      url,
      headers: read[`OTEL_EXPORTER_OTLP_${kind}_HEADERS`] ?? read.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      timeoutMs: read[`OTEL_EXPORTER_OTLP_${kind}_TIMEOUT`] ?? read.OTEL_EXPORTER_OTLP_TIMEOUT,
    };
  };
  return { traces: targetOf("TRACES"), metrics: targetOf("METRICS") };
}
