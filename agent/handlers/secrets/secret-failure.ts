import { CloudUnreachable, CredentialFault } from "../../credentials/credential-fault.ts";
import { type CompositeError, JobFailure } from "../../jobs/job-failure.ts";
import { type SecretClass, SecretFault } from "./secret-fault.ts";

const titles: Readonly<Record<SecretClass, string>> = {
  auth: "The store does not accept the credentials",
  forbidden: "The store does not allow it",
  not_found: "A secret has no value",
  format: "A value is not what it should be",
  too_large: "The values are too large",
  network: "A store does not answer",
  refused: "A store refused it",
};

/** A secret of a plan, in words, and why it was not read. */
export type UnreadSecret = { readonly what: string; readonly fault: SecretFault };

const mostNamed = 5;
const noneWritten = "No secret was written, as not all can be read.";

/** Makes the failure of a job whose secrets were not all read; `so` says what has become of them. */
export function secretFailure(unread: readonly UnreadSecret[], so = noneWritten): JobFailure {
  const faults = unread.map(({ fault }) => fault.class);
  const kind = faults.find((one) => one !== "network") ?? "network";
  const words = unread.slice(0, mostNamed).map(({ what, fault }) => `${what}: ${fault.message}`);
  const more = unread.length > mostNamed ? ` And ${unread.length - mostNamed} more.` : "";
  const detail = `${so} ${words.join(". ")}.${more}`;
  const composite: CompositeError = {
    type: `secrets.${kind}`,
    title: titles[kind],
    detail,
    retryable: kind === "network",
  };
  return new JobFailure(detail, { reason: "secrets_failed", class: kind, composite });
}

/** Why a secret was not read. Throws what is no fault of a store or an identity. */
export function faultOf(error: unknown): SecretFault {
  if (error instanceof SecretFault) return error;
  if (!(error instanceof CredentialFault)) throw error;
  const kind = error instanceof CloudUnreachable ? "network" : "auth";
  return new SecretFault(kind, error.message.replace(/\.$/, ""));
}
