import { SvcError } from "../../client/svc-error.ts";
import { type CertificateFault, certificateFault } from "./certificate-fault.ts";

/** Nobody answered: no connection, or none in time. */
export class BrokerUnreachable extends SvcError {
  override readonly name = "BrokerUnreachable";
  /** Where it was looked for; none where it was there, and its connection broke. */
  readonly url: string | undefined;

  constructor(words: string, { url, code, cause }: Partial<Absence> = {}) {
    super(words, { code: code ?? "unreachable", cause });
    this.url = url;
  }
}

type Absence = { readonly url: string; readonly code: string; readonly cause: unknown };

/** Somebody answered whose certificate is not taken: no request was sent. */
export class BrokerUntrusted extends SvcError {
  override readonly name = "BrokerUntrusted";
  readonly kind: CertificateFault["kind"];

  constructor({ kind, words }: CertificateFault, cause: SvcError) {
    super(words, { code: cause.code, cause });
    this.kind = kind;
  }
}

/** An error of a call of the broker at this URL, in a person's words: a refusal and what is no broker's stay as they are. */
export function brokerError(url: string, error: unknown): unknown {
  if (!(error instanceof SvcError) || error.status !== 0) return error;
  const { cause } = (error.cause ?? {}) as { cause?: { code?: unknown } }; // fetch tells the reason there
  const fault = certificateFault(cause, new URL(url).host);
  if (fault !== undefined) return new BrokerUntrusted(fault, error);
  if (error.code !== "unreachable" && error.code !== "timeout") return error;
  const why = typeof cause?.code === "string" ? ` (${cause.code})` : "";
  const { code } = error;
  return new BrokerUnreachable(`No broker responds at ${url}${why}.`, { url, code, cause: error });
}
