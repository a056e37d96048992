import {
  CredentialsFault,
  type OpenedCredential,
  openGitCredentials,
} from "../sources/git-credentials.ts";
import { type DoctorContext, failed, type Found, leftOut, ok } from "./finding.ts";

/** Whether the file that says who signs in at git servers can be used. */
export async function checkGitCredentials({
  config: { gitCredentials: file, executor },
}: DoctorContext): Promise<Found> {
  if (file === undefined)
    return leftOut("No credentials for git are configured (git-credentials).");
  if (executor !== "host") return leftOut("Pods read git-credentials, each in its own files.");
  try {
    const found = await openGitCredentials(file);
    if (found.length === 0) return failed(`${file} names no server.`, help);
    return ok(`Builds sign in at ${[...new Set(found.map(serverOf))].join(", ")}.`);
  } catch (error) {
    if (!(error instanceof CredentialsFault)) throw error;
    return failed(`Builds cannot use git-credentials: ${error.message}.`, help);
  }
}

const help = "docs/agent.md says what the file holds (Credentials for git).";

const serverOf = (one: OpenedCredential): string =>
  one.kind === "token" ? one.origin : `ssh://${one.host}:${one.port}`;
