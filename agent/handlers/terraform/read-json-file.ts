import { type FileOwner, openJobFile } from "../../job-users/job-files.ts";
import { terraformFailure } from "./terraform-failure.ts";

/** As much JSON of one plan as the agent reads at once: more would hold all its jobs up. */
export const mostJsonBytes = 48 * 2 ** 20;
const mib = 2 ** 20;

/** The bytes of a file that terraform wrote. Throws JobFailure, class too_large, over the size. */
export async function readBytes(
  file: string,
  owner: FileOwner,
  { what, mostBytes }: { readonly what: string; readonly mostBytes: number },
): Promise<Buffer> {
  const handle = await openJobFile(file, owner);
  try {
    const { size } = await handle.stat();
    if (size > mostBytes) {
      const detail = `${what} has ${Math.ceil(size / mib)} MiB; ${Math.floor(mostBytes / mib)} MiB is the most. Divide the workspace into smaller ones.`;
      throw terraformFailure(detail, { class: "too_large", detail });
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The JSON in a file that terraform wrote, an object. */
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
  throw new Error(`${what} is no JSON object`);
}
