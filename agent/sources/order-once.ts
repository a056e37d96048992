import { existsSync } from "node:fs";
import { type FileOwner, readJobText, writeJobFileOnce } from "../job-users/job-files.ts";
import { secretsOf } from "../registry/login-of.ts";
import { type FetchRequest, fetchRequest } from "./fetch-request.ts";

const mostOrderBytes = 2 ** 20;

type Ordered = {
  readonly file: string;
  readonly owner: FileOwner;
  /** Hides a secret in the job's log. */
  readonly hide: (secret: string) => void;
};

/**
 * Writes the request to the child that fetches a source, unless there is one: an agent that goes on does not sign in anew
 * for what was ordered, as it is fetched by now, or is being fetched.
 */
export async function orderOnce(
  { file, owner, hide }: Ordered,
  make: () => Promise<FetchRequest>,
): Promise<void> {
  if (!existsSync(file)) return await writeJobFileOnce(file, JSON.stringify(await make()), owner);
  const source = orderIn(await readJobText(file, owner, mostOrderBytes))?.source;
  if (source?.kind === "oci") secretsOf(source.login).forEach(hide);
}

/** The job may have changed it. */
function orderIn(text: string): FetchRequest | undefined {
  try {
    return fetchRequest.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
