import { certificateFault } from "../../shared/api/certificate-fault.ts";
import { LookupError } from "./vetted-lookup.ts";

const sentences = {
  timeout: "did not answer in time",
  refused: "refused the connection",
  unreachable: "cannot be reached",
  reset: "closed the connection without an answer",
  tls: "did not go through the TLS handshake: it may speak plain HTTP",
  too_large_headers: "sent more than 16 KiB of headers",
  bad_answer: "sent something that is no HTTP answer",
} as const;

/** Why a call got no answer. */
export type FailureReason =
  | keyof typeof sentences
  | "invalid_url"
  | "invalid_request"
  | "blocked_address"
  | "dns"
  | "aborted";

/** A call without an answer. The detail names the host, never path, query, headers or body. */
export type Failure = {
  readonly kind: "failed";
  readonly reason: FailureReason;
  readonly detail: string;
};

/** A failure for this reason. */
export function failure(reason: FailureReason, detail: string): Failure {
  return { kind: "failed", reason, detail };
}

/** The failure that says it of this URL's host. */
export function hostFailure(reason: keyof typeof sentences, url: URL, code?: string): Failure {
  const more = code === undefined ? "" : ` (${code})`;
  return failure(reason, `${url.host} ${sentences[reason]}${more}.`);
}

/** What an error of Node's HTTP client means. Its own text is not passed on: it may hold addresses. */
export function failureOf(error: unknown, url: URL, isInHandshake: boolean): Failure {
  if (error instanceof LookupError) return failure(error.reason, error.message);
  const code = codeOf(error);
  const reason = reasons[code];
  if (reason === "timeout" || reason === "unreachable" || reason === "refused") {
    return hostFailure(reason, url);
  }
  if (isInHandshake) {
    const fault = certificateFault(error, url.host, "the broker");
    return fault === undefined ? hostFailure("tls", url, code) : failure("tls", fault.words);
  }
  if (reason !== undefined) return hostFailure(reason, url);
  if (code.startsWith("HPE_")) return hostFailure("bad_answer", url);
  return hostFailure("reset", url, code);
}

const reasons: Readonly<Record<string, keyof typeof sentences>> = {
  ETIMEDOUT: "timeout",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  EACCES: "unreachable",
  EPERM: "unreachable",
  EINVAL: "unreachable",
  ECONNRESET: "reset",
  EPIPE: "reset",
  HPE_HEADER_OVERFLOW: "too_large_headers",
};

/** Of several addresses that were tried, the first one's. */
function codeOf(error: unknown): string {
  const one: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  const { code } = one as { readonly code?: unknown };
  return typeof code === "string" ? code : "unknown";
}
