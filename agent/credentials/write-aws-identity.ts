import path from "node:path";
import { type FileOwner, writeJobFileOnce } from "../job-users/job-files.ts";
import { awsIdentityOf } from "./job-aws-identity.ts";
import type { AwsAuth } from "./read-credentials.ts";

type Place = { readonly folder: string; readonly owner?: FileOwner };

/** Writes who a job is to AWS into a file in memory, 0600, for `svc-agent aws-credentials` and `kube-token`; answers it. */
export async function writeAwsIdentity(
  auth: AwsAuth | null | undefined,
  region: string,
  { folder, owner }: Place,
): Promise<string> {
  const file = path.join(folder, "aws-identity.json");
  await writeJobFileOnce(file, JSON.stringify(awsIdentityOf(auth, region)), owner);
  return file;
}
