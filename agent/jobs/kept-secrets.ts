import { appendFileSync, readFileSync } from "node:fs";
import type { Redactor } from "../logs/redactor.ts";

/** Secrets that a job added while it ran, stored in memory for an agent that resumes the job. */
export type KeptSecrets = {
  /** Throws when it cannot be stored; it is redacted anyway for now, unless there are too many. */
  readonly add: (secret: string) => void;
};

/**
 * The number is limited: each secret is searched in all output, in all encodings, by the process that all jobs share.
 */
const mostSecrets = 500;
const mostSecretBytes = 64 * 1024;
const mostBytes = 2 ** 20;

/** Redacts the secrets that the file has from an earlier process of the agent, and stores new ones in it. */
export function openKeptSecrets(file: string, redactor: Redactor): KeptSecrets {
  const known = new Set(readSecrets(file));
  for (const secret of known) redactor.add(secret);
  let bytes = 0;
  for (const secret of known) bytes += Buffer.byteLength(secret);
  return {
    add(secret) {
      if (known.has(secret)) return;
      const secretBytes = Buffer.byteLength(secret);
      if (secretBytes > mostSecretBytes) {
        throw new Error(
          `This secret is too long to hide: it has ${secretBytes} bytes; the limit is 64 KiB.`,
        );
      }
      const nextBytes = bytes + secretBytes;
      if (known.size >= mostSecrets || nextBytes > mostBytes) {
        const most = `${mostSecrets} of them, and 1 MiB together`;
        throw new Error(
          `This job has too many secrets (the limit is ${most}). This secret is not hidden.`,
        );
      }
      bytes = nextBytes;
      redactor.add(secret);
      // Starts on a new line, because the last one may have been cut off.
      appendFileSync(file, `\n${JSON.stringify(secret)}\n`, { mode: 0o600 });
      known.add(secret);
    },
  };
}

function readSecrets(file: string): string[] {
  return readText(file).split("\n").flatMap(parsed);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** A line that was cut off was never confirmed, so its sender repeats it. */
function parsed(line: string): string[] {
  if (line === "") return [];
  try {
    return [JSON.parse(line) as string];
  } catch {
    return [];
  }
}
