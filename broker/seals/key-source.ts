import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { OperatorError } from "../../shared/operator-error.ts";

/** A sealing key: 256 bits, and the id that is stored with everything it seals. */
export type SealKey = { readonly id: string; readonly key: Buffer };

/** Where keys come from: a file, a program that asks a KMS, or nowhere. */
export type KeySource = {
  /** Newest first; an OperatorError says what is wrong with the keys, never what they are. */
  readonly read: () => Promise<readonly SealKey[]>;
};

const run = promisify(execFile);
const runWithinMs = 20_000;
const keyLine = /^([\w.-]{1,64})\s+([A-Za-z0-9+/_-]{43}=?)$/;

/** The source that SVC_SEAL_KEYS names: `file:PATH`, `command:PROGRAM ARG…` or `none`. */
export function keySource(setting: string | undefined): KeySource {
  if (setting === undefined) {
    throw new OperatorError(
      "SVC_SEAL_KEYS is not set. Set it to file:PATH or command:PROGRAM to encrypt state and plans, or to none to store them unencrypted.",
    );
  }
  if (setting === "none") return { read: async () => [] };
  const [scheme, rest] = split(setting);
  if (scheme === "file" && rest !== "") return { read: () => readKeyFile(rest) };
  if (scheme === "command" && rest.trim() !== "") return { read: () => readFromProgram(rest) };
  throw new OperatorError("SVC_SEAL_KEYS must be file:PATH, command:PROGRAM ARG…, or none.");
}

function split(setting: string): readonly [scheme: string, rest: string] {
  const at = setting.indexOf(":");
  return [setting.slice(0, at), setting.slice(at + 1)];
}

async function readKeyFile(path: string): Promise<readonly SealKey[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`The key file of SVC_SEAL_KEYS cannot be read (${error.code ?? "?"}).`);
  });
  return parseKeys(text);
}

/** The program prints what a key file contains; nothing else it prints is repeated. */
async function readFromProgram(line: string): Promise<readonly SealKey[]> {
  const [program = "", ...args] = line.trim().split(/\s+/);
  const printed = await run(program, args, { timeout: runWithinMs }).catch(
    ({ code }: { code?: unknown }) => {
      const why = typeof code === "string" || typeof code === "number" ? ` (${code})` : "";
      throw new OperatorError(`The program of SVC_SEAL_KEYS returned no keys${why}.`);
    },
  );
  return parseKeys(printed.stdout);
}

/** One key a line, `<id> <32 bytes in base64>`, newest first; empty lines and lines that begin with # are skipped. */
export function parseKeys(text: string): readonly SealKey[] {
  const lines = text.split("\n").map((line) => line.trim());
  const keys = lines.flatMap((line, at) => {
    if (line === "" || line.startsWith("#")) return [];
    const [, id = "", encoded = ""] = keyLine.exec(line) ?? [];
    const key = Buffer.from(encoded, "base64");
    if (id !== "" && key.length === 32) return [{ id, key }];
    throw new OperatorError(
      `Line ${at + 1} of the seal keys is invalid. Each line needs an id and 32 bytes in base64.`,
    );
  });
  if (keys.length === 0)
    throw new OperatorError("The seal keys are empty: at least one key is needed.");
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new OperatorError("Two of the seal keys have the same id.");
  }
  return keys;
}
