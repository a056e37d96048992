import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../files/atomic-file.ts";
import { errorCode } from "../files/disk-error.ts";
import { bootId } from "../processes/process-identity.ts";

/** Whose log it is, and what the broker is to be told with it. */
export type LogIdentity = {
  readonly executionId: string;
  readonly streamId: string;
  /** Of the whole log. */
  readonly attributes: Readonly<Record<string, string>>;
};

/** What stands beside the lines of a log. */
export type StreamFile = {
  readonly identity: LogIdentity;
  /** Lines with numbers below this may have been sent although they are not here. */
  readonly firstFree: number;
  /** Lines may have been sent whose numbers are not on this disk: it refused them, or lost them with the power. */
  readonly isDoubtful: boolean;
};

type Stored = LogIdentity & {
  readonly isWhole: 0 | 1;
  readonly bootId: string;
  readonly firstFree: number;
};

const fileName = "stream.json";
/** The file begins with it, so that one byte can be changed where it stands: that works on a full disk, too. */
const beginning = '{"isWhole":';

/** Reads the file in the log's folder; undefined when there is none. Throws SyntaxError when it makes no sense. */
export async function readStreamFile(dir: string): Promise<StreamFile | undefined> {
  const text = await readFile(join(dir, fileName), "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const stored = JSON.parse(text) as Stored; // we wrote it
  const { isWhole, bootId: bornIn, firstFree, ...identity } = stored;
  return { identity, firstFree, isDoubtful: isWhole !== 1 || bornIn !== bootId() };
}

/** Whether the error says that there is no such file or folder. */
export function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

/** Makes the log's folder and the file in it, whole. */
export async function writeStreamFile(
  dir: string,
  { identity, firstFree }: Pick<StreamFile, "identity" | "firstFree">,
): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const stored: Stored = { isWhole: 1, bootId: bootId(), firstFree, ...identity };
  await writeDurably(join(dir, fileName), JSON.stringify(stored));
}

/** Notes that lines are sent which the disk has refused. */
export async function markDoubtful(dir: string): Promise<void> {
  const file = await open(join(dir, fileName), "r+");
  try {
    await file.write("0", beginning.length);
    await file.datasync();
  } finally {
    await file.close();
  }
}
