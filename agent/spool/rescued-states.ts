import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { writeDurably } from "../files/atomic-file.ts";
import type { Log } from "../log.ts";

const about = z.object({ workspace_id: z.string(), job_id: z.string(), execution_id: z.string() });
/** The job that the state belongs to. */
export type RescuedFrom = z.infer<typeof about>;
export type RescuedState = RescuedFrom & { readonly bytes: Buffer };

/** States that Terraform could not save, on this host until the broker has them. */
export type RescuedStates = {
  /** When it resolves, the state survives a power failure. */
  readonly put: (state: RescuedState) => Promise<void>;
  /** The executions with states here. */
  readonly list: () => Promise<string[]>;
  /** Undefined when it does not exist or can no longer be decrypted. */
  readonly read: (executionId: string) => Promise<RescuedState | undefined>;
  readonly remove: (executionId: string) => Promise<void>;
};

const ending = ".state";
const ivBytes = 12;
const tagBytes = 16;
const cipher = "aes-256-gcm";

/**
 * Opens the folder of such states. They are encrypted with a key beside them, so that a copy of a state alone, in a
 * backup or a bug report, reveals nothing.
 */
export function openRescuedStates(dir: string, log: Log): RescuedStates {
  const fileOf = (executionId: string): string => path.join(dir, `${executionId}${ending}`);
  return {
    async put({ bytes, ...from }) {
      const key = await keyIn(dir, true);
      const head = Buffer.from(`${JSON.stringify(from)}\n`);
      await writeDurably(fileOf(from.execution_id), sealed(key, Buffer.concat([head, bytes])));
    },
    async list() {
      const names = await readdir(dir).catch(() => []);
      return names.filter((name) => name.endsWith(ending)).map((name) => path.parse(name).name);
    },
    async read(executionId) {
      try {
        const opened = unsealed(await keyIn(dir, false), await readFile(fileOf(executionId)));
        const end = opened.indexOf("\n");
        const from = about.parse(JSON.parse(opened.toString("utf8", 0, end)));
        return { ...from, bytes: opened.subarray(end + 1) };
      } catch (error) {
        log.error({ err: error, execution_id: executionId }, "a rescued state cannot be read");
        return undefined;
      }
    },
    remove: async (executionId) => await rm(fileOf(executionId), { force: true }),
  };
}

async function keyIn(dir: string, isMade: boolean): Promise<Buffer> {
  const file = path.join(dir, "key");
  const known = await readFile(file).catch((error: unknown) => {
    if (isMade && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  });
  if (known !== undefined) return known;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const key = randomBytes(32);
  await writeDurably(file, key);
  return key;
}

function sealed(key: Buffer, bytes: Buffer): Buffer {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv);
  const body = Buffer.concat([sealing.update(bytes), sealing.final()]);
  return Buffer.concat([iv, sealing.getAuthTag(), body]);
}

function unsealed(key: Buffer, bytes: Buffer): Buffer {
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes));
  opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]);
}
