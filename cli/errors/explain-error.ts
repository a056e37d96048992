import { SvcError } from "../../client/svc-error.ts";
import { BrokerUnreachable, BrokerUntrusted } from "../../shared/api/broker-errors.ts";
import type { Explained } from "../../shared/command-line/program.ts";
import { OperatorError } from "../../shared/operator-error.ts";
import { Problem } from "../../shared/problem.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";

const unreachable = new Set([
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
]);

/** States of Postgres that pass: it starts, goes down, or has no room for one more connection. */
const passing = /^(?:08|53|57P)/;

/** What to say of something that went wrong, and the exit code: a person's words, never a stack. */
export function explainError(error: unknown): Explained {
  if (error instanceof BrokerUnreachable) {
    return { code: exitCodes.unavailable.code, words: [error.message, ...absenceHints(error)] };
  }
  if (error instanceof BrokerUntrusted) {
    return { code: exitCodes.failed.code, words: [error.message, trustHints[error.kind]] };
  }
  if (error instanceof SvcError) {
    return { code: exitCodeOf(error.status), words: refusalWords(error) };
  }
  if (error instanceof Problem) {
    return {
      code: exitCodeOf(error.status),
      words: problemWords(error),
    };
  }
  if (error instanceof OperatorError)
    return { code: exitCodes.failed.code, words: [error.message] };
  const outside = outsideWords(error);
  if (outside !== undefined) return outside;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    code: exitCodes.failed.code,
    words: [`Internal error in svc, please report it. ${message}`],
  };
}

/** A broker of this machine can be started; any other is somebody's. */
function absenceHints({ url }: BrokerUnreachable): string[] {
  if (url === undefined) return [];
  const { hostname } = new URL(url);
  if (/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return ["Start one with: svc dev"];
  return [
    "Is the URL right, and can this machine reach it? See what commands use: svc auth status",
  ];
}

const trustHints: Readonly<Record<BrokerUntrusted["kind"], string>> = {
  "unknown-issuer":
    "If it is your own or your company's CA, give its certificate: NODE_EXTRA_CA_CERTS=FILE (PEM). Otherwise someone may be intercepting the connection.",
  "not-of-today": "Renew it at the broker, or correct this machine's clock.",
  "other-name": "Check the spelling of the URL, or add this name to the broker's certificate.",
  other: "Replace the broker's certificate.",
};

function refusalWords(error: SvcError): string[] {
  const hint = error.status === 401 ? ["Set SVC_TOKEN, or save a token with: svc auth login"] : [];
  const request = error.requestId === "" ? [] : [`Request ${error.requestId}`];
  return [...problemWords(error), ...hint, ...request];
}

/** What is wrong, and where; what the message says already is not said again. */
function problemWords({ message, errors }: Pick<SvcError, "message" | "errors">): string[] {
  const [first, ...others] = errors;
  const isSaid = first !== undefined && message.includes(first.pointer);
  if (isSaid && others.length === 0) return [message];
  const pointed = errors.map(({ pointer, detail }) => `  ${pointer}  ${detail}`);
  return [isSaid ? `The request has ${errors.length} faults:` : message, ...pointed];
}

/** What the machine around us refuses: a folder, or the database, whose own words hold no secret. */
function outsideWords(error: unknown): Explained | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path }: NodeJS.ErrnoException = error;
  if (error.name === "PostgresError") {
    const words = `The database refused the request: ${error.message}.`;
    return passing.test(code ?? "") ? later(words) : failed(words);
  }
  if (code === undefined) return undefined;
  if (unreachable.has(code)) return later(`The database in DATABASE_URL is unreachable (${code}).`);
  const reason = /^\w+: ([^,]+)/.exec(error.message)?.[1] ?? code;
  return path === undefined ? undefined : failed(`${path} cannot be used: ${reason}.`);
}

const failed = (words: string): Explained => ({ code: exitCodes.failed.code, words: [words] });

const later = (words: string): Explained => ({ code: exitCodes.unavailable.code, words: [words] });
