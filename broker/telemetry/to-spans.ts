import type { OtlpSpan, TraceRequest } from "../../shared/api/otlp.ts";
import {
  type PlainAttributes,
  jobAttribute,
  plainAttributes,
  plainText,
  toMicroseconds,
} from "./plain-attributes.ts";

/** A span as it is stored: columns for what is searched, the rest in `detail`. */
export type NewSpan = {
  readonly job_id: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string;
  readonly name: string;
  readonly started_us: number;
  readonly duration_ns: number;
  readonly detail: SpanDetail;
};
export type SpanDetail = {
  readonly kind: number;
  readonly status: { readonly code: number; readonly message: string };
  readonly service: string;
  readonly scope: string;
  readonly attributes: PlainAttributes;
  readonly events: readonly {
    readonly at_us: number;
    readonly name: string;
    readonly attributes: PlainAttributes;
  }[];
  readonly links: readonly { readonly trace_id: string; readonly span_id: string }[];
};

const mostEvents = 64;
const mostLinks = 32;

/** The spans that name a job, and how many are invalid: without ids or times. */
export function toSpans(request: TraceRequest): { spans: NewSpan[]; malformed: number } {
  const spans: NewSpan[] = [];
  let malformed = 0;
  for (const { resource, scopeSpans } of request.resourceSpans ?? []) {
    const ofResource = plainAttributes(resource?.attributes);
    const made = (scopeSpans ?? []).flatMap(({ scope, spans: given }) =>
      (given ?? []).map((one) => toSpan(one, { ofResource, scope: plainText(scope?.name, 256) })),
    );
    for (const span of made) {
      if (span === undefined) malformed += 1;
      else if (span.job_id !== "") spans.push(span);
    }
  }
  return { spans, malformed };
}

type Origin = { readonly ofResource: PlainAttributes; readonly scope: string };

function toSpan(span: OtlpSpan, { ofResource, scope }: Origin): NewSpan | undefined {
  const [trace, id] = [span.traceId.toLowerCase(), span.spanId.toLowerCase()];
  const startedUs = toMicroseconds(span.startTimeUnixNano);
  if (!isId(trace, 32) || !isId(id, 16) || startedUs === undefined) return undefined;
  const attributes = plainAttributes(span.attributes);
  const parent = (span.parentSpanId ?? "").toLowerCase();
  const service = ofResource["service.name"];
  return {
    job_id: jobAttribute(attributes) || jobAttribute(ofResource),
    trace_id: trace,
    span_id: id,
    parent_span_id: isId(parent, 16) ? parent : "",
    name: plainText(span.name, 500),
    started_us: startedUs,
    duration_ns: durationOf(span),
    detail: {
      kind: span.kind ?? 0,
      status: { code: span.status?.code ?? 0, message: plainText(span.status?.message) },
      service: typeof service === "string" ? plainText(service, 256) : "",
      scope,
      attributes,
      events: (span.events ?? []).slice(0, mostEvents).map((event) => ({
        at_us: toMicroseconds(event.timeUnixNano) ?? startedUs,
        name: plainText(event.name, 500),
        attributes: plainAttributes(event.attributes),
      })),
      links: (span.links ?? [])
        .filter(({ traceId, spanId }) => isId(traceId, 32) && isId(spanId, 16))
        .slice(0, mostLinks)
        .map(({ traceId, spanId }) => ({ trace_id: traceId, span_id: spanId })),
    },
  };
}

/** The protocol's rule: hexadecimal of this length, and not all zeroes. */
function isId(text: string, length: number): boolean {
  return text.length === length && /^[\da-f]+$/i.test(text) && /[^0]/.test(text);
}

/** A span that ends before it begins, or never, is invalid. */
function durationOf({ startTimeUnixNano: start, endTimeUnixNano: end }: OtlpSpan): number {
  const ns = BigInt(end ?? 0) - BigInt(start ?? 0);
  return ns < 0n || ns > BigInt(Number.MAX_SAFE_INTEGER) ? 0 : Number(ns);
}
