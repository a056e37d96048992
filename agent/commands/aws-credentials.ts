import type { Environment } from "../config/environment.ts";
import { awsKeysOf } from "../credentials/aws-identity.ts";
import { CredentialFault } from "../credentials/credential-fault.ts";
import { ExitError } from "../exit-error.ts";

/** Prints AWS keys for the identity in a file, in the format of a credential_process. */
export async function printAwsCredentials(
  file: string,
  env: Environment,
  say: (line: string) => void,
): Promise<void> {
  try {
    const keys = await awsKeysOf(file, env);
    const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } = keys;
    const told = {
      Version: 1,
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      ...(sessionToken && { SessionToken: sessionToken }),
      ...(expiresAtMs !== undefined && { Expiration: new Date(expiresAtMs).toISOString() }),
    };
    say(JSON.stringify(told));
  } catch (error) {
    if (error instanceof CredentialFault) throw new ExitError("failed", error.message);
    throw error;
  }
}
