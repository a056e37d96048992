import type { FileHandle } from "node:fs/promises";
import { type FileOwner, openJobFile } from "../../job-users/job-files.ts";
import { OutputFault, parseOutputText } from "./output-text.ts";

const mostValueBytes = 64 * 1024;
const mostTotalBytes = 2 ** 20;
const pieceBytes = 64 * 1024;
const namePattern = /^[A-Za-z_][\w.-]{0,127}$/;
const taken = new Set(["steps", "__proto__"]);

export type StepOutput = {
  readonly step: string;
  readonly name: string;
  readonly value: unknown;
  readonly isSecret: boolean;
};

/** The outputs of a job's steps: later steps get all of them, the broker all that are not secret. */
export type StepOutputs = {
  /** Adds one; throws OutputFault with a message when it is not allowed. */
  readonly set: (step: string, name: string, value: unknown, isSecret?: boolean) => void;
  /** All outputs, in the order in which they were set. */
  readonly list: () => readonly StepOutput[];
  /** All outputs: merged, where later ones replace earlier ones, and by step. */
  readonly all: () => Record<string, unknown>;
  /** The same without secrets. */
  readonly shown: () => Record<string, unknown>;
  /** The outputs of one step, without secrets. */
  readonly shownOf: (step: string) => Readonly<Record<string, unknown>>;
};

/** An empty set of outputs. */
export function makeStepOutputs(): StepOutputs {
  const entries = new Map<string, StepOutput>();
  let totalBytes = 0;
  const gather = (wanted: (entry: StepOutput) => boolean): Record<string, unknown> => {
    const found = [...entries.values()].filter(wanted);
    const steps = Map.groupBy(found, ({ step }) => step);
    const named = [...steps].map(([step, set]) => [step, membersOf(set)] as const);
    return entries.size === 0 ? {} : { ...membersOf(found), steps: Object.fromEntries(named) };
  };
  return {
    set(step, name, value, isSecret = false) {
      const bytes = checked(name, value);
      const key = `${step}\n${name}`;
      const before = entries.get(key);
      const nextBytes =
        totalBytes + bytes - (before === undefined ? 0 : checked(name, before.value));
      if (nextBytes > mostTotalBytes) throw new OutputFault("all outputs together exceed 1 MiB");
      totalBytes = nextBytes;
      entries.delete(key); // it moves to the end: the latest value is merged last
      entries.set(key, { step, name, value, isSecret });
    },
    list: () => [...entries.values()],
    all: () => gather(() => true),
    shown: () => gather(({ isSecret }) => !isSecret),
    shownOf: (step) =>
      membersOf([...entries.values()].filter((entry) => entry.step === step && !entry.isSecret)),
  };
}

/** Names come from plans and scripts: each becomes an own property of the object, even `constructor`. */
const membersOf = (outputs: readonly StepOutput[]): Record<string, unknown> =>
  Object.fromEntries(outputs.map(({ name, value }) => [name, value]));

/** Its size in bytes; throws when it is not allowed as an output. */
function checked(name: string, value: unknown): number {
  if (!namePattern.test(name) || taken.has(name)) {
    // Never a part of it: that could be a part of a secret, which would not be redacted.
    const shown = name.length > 128 ? `a name of ${name.length} characters` : JSON.stringify(name);
    throw new OutputFault(
      `${shown} is not a valid output name: use at most 128 letters, digits, _ . and -, and not "steps"`,
    );
  }
  const json = JSON.stringify(value ?? null);
  const bytes = Buffer.byteLength(typeof value === "string" ? value : json);
  if (bytes > mostValueBytes) {
    throw new OutputFault(`the value of ${name} has ${bytes} bytes; the limit is 64 KiB`);
  }
  if (/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(json)) {
    throw new OutputFault(`the value of ${name} contains a NUL character or invalid Unicode`);
  }
  return bytes + name.length;
}

/** Reads a step's outputs file and adds its outputs; a missing file means none. Throws OutputFault with a message. */
export async function takeOutputFile(
  outputs: StepOutputs,
  step: string,
  written: { readonly file: string; readonly owner: FileOwner },
): Promise<void> {
  for (const { name, value } of parseOutputText(await readText(written))) {
    outputs.set(step, name, value);
  }
}

async function readText({
  file,
  owner,
}: {
  readonly file: string;
  readonly owner: FileOwner;
}): Promise<string> {
  const handle = await openJobFile(file, owner).catch(absent);
  if (handle === undefined) return "";
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new OutputFault("it is not a regular file");
    if (stat.size > 2 * mostTotalBytes) {
      throw new OutputFault(`it has ${stat.size} bytes; all outputs together are limited to 1 MiB`);
    }
    const bytes = await readBytes(handle);
    if (bytes.includes(0)) throw new OutputFault("it is binary: it contains NUL bytes");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new OutputFault("it is binary: it is not UTF-8");
    throw error;
  } finally {
    await handle.close();
  }
}

/** Reads a limited number of bytes, even if the file grows meanwhile or reports a wrong size. */
async function readBytes(handle: FileHandle): Promise<Buffer> {
  const mostBytes = 2 * mostTotalBytes;
  const parts: Buffer[] = [];
  for (let length = 0; length <= mostBytes;) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.alloc(pieceBytes),
      0,
      pieceBytes,
      length,
    );
    if (bytesRead === 0) return Buffer.concat(parts);
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  throw new OutputFault("it grew while it was read; all outputs together are limited to 1 MiB");
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  if (error.code === "ELOOP") throw new OutputFault("it is a symbolic link");
  throw new OutputFault(`it cannot be read (${error.code})`);
}
