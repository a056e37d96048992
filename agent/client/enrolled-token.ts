import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { writeDurably } from "../files/atomic-file.ts";

const schema = z.object({
  token: z.string(),
  runner_id: z.string(),
  /** Digest of the one-shot token that was spent for it. */
  enrolled_by: z.string(),
  expires_at: z.iso.datetime().nullable(),
});

/** What an enrolment brought, as it is kept in the data directory. */
export type EnrolledToken = z.infer<typeof schema>;

const fileOf = (dataDir: string): string => path.join(dataDir, "enrolled.json");

/** The runner's token that an enrolment from this data directory brought, if there was one. */
export async function readEnrolled(dataDir: string): Promise<EnrolledToken | undefined> {
  const text = await readFile(fileOf(dataDir), "utf8").catch(() => "");
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined; // there was no enrolment, or its file was cut off before it was used
  }
}

/** Keeps it, over power cuts too: it may be used from now on. */
export async function keepEnrolled(dataDir: string, enrolled: EnrolledToken): Promise<void> {
  await writeDurably(fileOf(dataDir), `${JSON.stringify(enrolled)}\n`);
}
