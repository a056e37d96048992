import { problem } from "../../../shared/problem.ts";
import { mostBodyBytes } from "../../otlp/otlp-limits.ts";
import type { Refused } from "../../otlp/partial-success.ts";
import type { Attributes, LogEntry } from "../store/log-record.ts";

/** The contents of an ExportLogsServiceRequest. */
export type LogRequest = {
  readonly entries: readonly LogEntry[];
  /** How many more there were that cannot be kept, and why. */
  readonly refused: Refused;
};

/** A record as either encoding gives it. */
export type SentRecord = {
  readonly timeUs: number;
  readonly observedUs: number;
  readonly severity: number;
  readonly severityText: string;
  readonly body: string;
  /** The bytes that the body has, when they are known to be more than are given. */
  readonly cutFrom?: number | undefined;
  readonly seq: number | undefined;
  readonly known: KnownAttributes;
  readonly resource: Attributes;
  readonly traceId: string;
  readonly spanId: string;
};

/** A record's attributes; those with a meaning here are members of their own. */
export type KnownAttributes = {
  readonly executionId: string | undefined;
  readonly step: string | undefined;
  readonly rest: Attributes;
};

const mostAttributesLength = 32 * 1024;
const mostScopesLength = 32 * 1024 * 1024;
const mostWordLength = 256;
const isExecution = /^exe_\w{1,60}$/;

export const names = {
  seq: "svc.seq",
  execution: "runner_job_execution.id",
  step: "runner_job_execution_step.name",
} as const;

/** A record as it is stored: without a time it gets its observation's, or now; what is too long is cut. */
export function toEntry(sent: SentRecord, nowUs: number): LogEntry {
  const { timeUs, observedUs, severity, severityText, seq, known, resource } = sent;
  const observed = isInstant(observedUs) ? observedUs : undefined;
  const { body, cutFrom } = cut(sent);
  return {
    atUs: isInstant(timeUs) ? timeUs : (observed ?? nowUs),
    observedAtUs: observed === timeUs ? undefined : observed,
    severity: severity >= 0 && severity <= 24 ? severity : 0,
    severityText: severityText === "" ? undefined : severityText.slice(0, 64),
    body,
    seq,
    executionId: known.executionId,
    step: known.step,
    resource,
    attributes: known.rest,
    traceId: sent.traceId === "" ? undefined : sent.traceId,
    spanId: sent.spanId === "" ? undefined : sent.spanId,
    cutFrom,
  };
}

/** Attributes with those taken out that have a meaning here; too many of them are replaced by a word of that. */
export function knownAttributes(all: Record<string, unknown>): KnownAttributes {
  const { [names.seq]: _, [names.step]: step, ...others } = all;
  const { [names.execution]: execution, ...rest } = others;
  const isKnown = typeof execution === "string" && isExecution.test(execution);
  return {
    executionId: isKnown ? execution : undefined,
    step: typeof step === "string" && step !== "" ? word(step) : undefined,
    rest: boundedAttributes(isKnown ? rest : others),
  };
}

/**
 * Answers what stands at each record of a scope: its resource's attributes and its name, cut where it is too long. 413
 * when a request's scopes make too much of their resources' attributes.
 */
export function makeScopes(): (resource: Attributes, name: string) => Attributes {
  let last: Attributes = {};
  let lastLength = 2;
  let length = 0;
  return (resource, name) => {
    if (name === "") return resource;
    if (resource !== last) lastLength = JSON.stringify(resource).length;
    last = resource;
    length += lastLength;
    if (length > mostScopesLength) throw problem.tooLarge(mostScopesLength);
    return { ...resource, "otel.scope.name": word(name) };
  };
}

/** The attributes, or, when they are too long, how long they were. */
export function boundedAttributes(all: Record<string, unknown>): Attributes {
  const { length } = JSON.stringify(all);
  return length <= mostAttributesLength ? all : { "svc.cut_attributes": length };
}

/** Text that any reader can show: a NUL is shown as its symbol, half of a surrogate pair as U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\u2400") : whole;
}

/** The cut may part a surrogate pair, which Postgres refuses. */
const word = (text: string): string => cleanText(text.slice(0, mostWordLength));

function cut({ body, cutFrom }: SentRecord): Pick<LogEntry, "body" | "cutFrom"> {
  if (cutFrom === undefined && body.length * 3 <= mostBodyBytes) return { body };
  const bytes = cutFrom ?? Buffer.byteLength(body);
  if (bytes <= mostBodyBytes) return { body };
  // Half of a character may stand at the end.
  const kept = Buffer.from(body).subarray(0, mostBodyBytes).toString("utf8");
  const whole = kept.replace(/\uFFFD+$/, "");
  return { body: `${whole}\nsvc: cut here, it had ${bytes} bytes.`, cutFrom: bytes };
}

/** Past it, in the year 2255, a double holds no microseconds; and no log is of then. */
const latestUs = Date.UTC(2255, 0, 1) * 1000;

function isInstant(us: number): boolean {
  return us > 0 && us < latestUs;
}
