import { type DestinationStream, type Logger, pino } from "pino";
import { tokenPattern } from "../shared/token.ts";

/** The agent's own log, as JSON lines. Secrets are redacted, by the name of the member or the form of our tokens. */
export type Log = Logger;

const secretKeys = ["authorization", "token", "secret", "password", "plan", "env"];

/** Opens the log; standard output, by default. */
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
    hooks: { streamWrite: withoutTokens },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function withoutTokens(line: string): string {
  if (!line.includes("svc_")) return line;
  return line.replaceAll(
    tokenPattern,
    (token) => `${token.slice(0, token.indexOf("_", 4) + 1)}[secret]`,
  );
}
