import { hash } from "node:crypto";
import { mintToken } from "../../shared/token.ts";
import type { Access } from "./read-scopes.ts";

/** A job's login to the registry: what its plan says, and what is stored with the job. */
export type JobLogin = {
  readonly ociauth: { readonly username: string; readonly password: string };
  readonly stored: { readonly digest: string; readonly access: readonly Access[] };
};

/** Makes the login of a job: it opens what is said here, until the job has ended. */
export function makeJobLogin(jobId: string, access: readonly Access[]): JobLogin {
  const password = mintToken("reg");
  return {
    ociauth: { username: jobId, password },
    stored: { digest: hash("sha256", password, "hex"), access },
  };
}
