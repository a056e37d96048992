import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../files/atomic-file.ts";
import { errorCode } from "../files/disk-error.ts";
import { bootId } from "../processes/process-identity.ts";

/** Identifies a log, with the attributes that are sent with it. */
export type LogIdentity = {
  readonly executionId: string;
  readonly streamId: string;
  /** Attributes of the whole log. */
  readonly attributes: Readonly<Record<string, string>>;
};

/** The facts of a log that are stored beside its lines. */
export type StreamFile = {
  readonly identity: LogIdentity;
  /** Lines below this number may have been sent although they are not here. */
  readonly firstFree: number;
  /**
   * Lines may have been sent whose numbers are not on disk, because writes failed or were lost in a power failure.
   */
  readonly isDoubtful: boolean;
};

type Stored = LogIdentity & {
  readonly isWhole: 0 | 1;
  readonly bootId: string;
  readonly firstFree: number;
};

const fileName = "stream.json";
/** At the start of the file, so that one byte can be changed in place: that works on a full disk, too. */
const beginning = '{"isWhole":';

/** Reads the file in the log's folder; undefined when it does not exist. Throws SyntaxError when it is corrupt. */
export async function readStreamFile(dir: string): Promise<StreamFile | undefined> {
  const text = await readFile(join(dir, fileName), "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const stored = JSON.parse(text) as Stored; // written by this program
  const { isWhole, bootId: bornIn, firstFree, ...identity } = stored;
  return { identity, firstFree, isDoubtful: isWhole !== 1 || bornIn !== bootId() };
}

/** Whether the error means that the file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

/** Makes the log's folder, and the file in it atomically. */
export async function writeStreamFile(
  dir: string,
  { identity, firstFree }: Pick<StreamFile, "identity" | "firstFree">,
): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const stored: Stored = { isWhole: 1, bootId: bootId(), firstFree, ...identity };
  await writeDurably(join(dir, fileName), JSON.stringify(stored));
}

/** Notes that lines are sent that are not on disk. */
export async function markDoubtful(dir: string): Promise<void> {
  const file = await open(join(dir, fileName), "r+");
  try {
    await file.write("0", beginning.length);
    await file.datasync();
  } finally {
    await file.close();
  }
}
