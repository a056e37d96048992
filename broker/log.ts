import { type DestinationStream, type Logger, pino } from "pino";
import { tokenPattern } from "../shared/token.ts";

/** A JSON-lines log. Secrets are cut out by the name of their member and wherever a token of ours is seen. */
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

/** Opens the log; standard output, unless told. */
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

/** Any text with the tokens in it cut to their prefix; query strings that carry one too. */
export function withoutTokens(text: string): string {
  if (!text.includes("svc_")) return text;
  return text.replaceAll(
    tokenPattern,
    (token) => `${token.slice(0, token.indexOf("_", 4) + 1)}[secret]`,
  );
}
