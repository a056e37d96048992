import { type DestinationStream, type Logger, pino } from "pino";
import { tokenPattern } from "../shared/token.ts";

/** A JSON-lines log. Secrets are removed by the name of their member, and tokens wherever they appear. */
export type Log = Logger;

const secretKeys = [
  "authorization",
  "token",
  "secret",
  "password",
  "plan",
  "digest",
  "databaseUrl",
  "idempotency_key",
];

/** Opens the log; by default on standard output. */
export function openLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
      censor: "[secret]",
    },
    hooks: { streamWrite: (line: string) => withoutTokens(line) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** The text with its tokens cut to their prefix, also in query strings. */
export function withoutTokens(text: string): string {
  if (!text.includes("svc_")) return text;
  return text.replaceAll(
    tokenPattern,
    (token) => `${token.slice(0, token.indexOf("_", 4) + 1)}[secret]`,
  );
}
