import { type FileOwner, openJobFile } from "../../job-users/job-files.ts";
import { terraformFailure } from "./terraform-failure.ts";

/** The limit for JSON of one plan that the agent parses at once: more would delay all its jobs. */
export const mostJsonBytes = 48 * 2 ** 20;
const mib = 2 ** 20;

/** Reads a file that terraform wrote. Throws JobFailure, class too_large, above the limit. */
export async function readBytes(
  file: string,
  owner: FileOwner,
  { what, mostBytes }: { readonly what: string; readonly mostBytes: number },
): Promise<Buffer> {
  const handle = await openJobFile(file, owner);
  try {
    const { size } = await handle.stat();
    if (size > mostBytes) {
      const detail = `${what} has ${Math.ceil(size / mib)} MiB; ${Math.floor(mostBytes / mib)} MiB is the limit. Divide the workspace into smaller ones.`;
      throw terraformFailure(detail, { class: "too_large", detail });
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Reads a file that terraform wrote as a JSON object. */
export async function readJsonFile(
  file: string,
  owner: FileOwner,
  what: string,
): Promise<Record<string, unknown>> {
  const bytes = await readBytes(file, owner, { what, mostBytes: mostJsonBytes });
  const read: unknown = JSON.parse(bytes.toString("utf8"));
  if (typeof read === "object" && read !== null && !Array.isArray(read)) {
    return read as Record<string, unknown>; // checked right here
  }
  throw new Error(`${what} is not a JSON object`);
}
