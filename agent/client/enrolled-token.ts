import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { writeDurably } from "../files/atomic-file.ts";

const schema = z.object({
  token: z.string(),
  runner_id: z.string(),
  /** Digest of the enrolment token that it was exchanged for. */
  enrolled_by: z.string(),
  expires_at: z.iso.datetime().nullable(),
});

/** The result of an enrolment, as stored in the data directory. */
export type EnrolledToken = z.infer<typeof schema>;

const fileOf = (dataDir: string): string => path.join(dataDir, "enrolled.json");

/** The runner's token from an earlier enrolment of this data directory, if there was one. */
export async function readEnrolled(dataDir: string): Promise<EnrolledToken | undefined> {
  const text = await readFile(fileOf(dataDir), "utf8").catch(() => "");
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined; // there was no enrolment, or its file was never completed
  }
}

/** Stores it durably; it may be used after that. */
export async function keepEnrolled(dataDir: string, enrolled: EnrolledToken): Promise<void> {
  await writeDurably(fileOf(dataDir), `${JSON.stringify(enrolled)}\n`);
}
