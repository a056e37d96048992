import path from "node:path";
import { type FileOwner, writeJobFileOnce } from "../job-users/job-files.ts";
import type { AwsIdentity } from "./aws-identity.ts";
import type { AwsAuth } from "./read-credentials.ts";
import type { AwsRole } from "./sts.ts";

type GivenRole = NonNullable<AwsAuth["assume_role"]>;
const usualSession = "svc-job";

/** The roles of a plan: the first is assumed with the job's credentials, each other with the one before it. */
export function rolesOf({ assume_role, assume_roles }: AwsAuth): AwsRole[] {
  return [...(assume_roles ?? []), ...(assume_role ? [assume_role] : [])].flatMap((role) => {
    const one = roleOf(role);
    return one === undefined ? [] : [one];
  });
}

type Target = { readonly folder: string; readonly owner?: FileOwner };

/** Writes the AWS identity of a job into a file in memory, 0600, for `svc-agent aws-credentials` and `kube-token`; returns its path. */
export async function writeAwsIdentity(
  auth: AwsAuth | null | undefined,
  region: string,
  { folder, owner }: Target,
): Promise<string> {
  const file = path.join(folder, "aws-identity.json");
  await writeJobFileOnce(file, JSON.stringify(awsIdentityOf(auth, region)), owner);
  return file;
}

/** The AWS identity in a plan. */
export function awsIdentityOf(auth: AwsAuth | null | undefined, region: string): AwsIdentity {
  const { access_key_id, secret_access_key, session_token } = auth?.static ?? {};
  const web = auth?.web_identity;
  const byToken = web ? roleOf(web) : undefined;
  return {
    region,
    ...(access_key_id &&
      secret_access_key && {
        keys: {
          accessKeyId: access_key_id,
          secretAccessKey: secret_access_key,
          ...(session_token && { sessionToken: session_token }),
        },
      }),
    ...(byToken && {
      byToken: {
        ...byToken,
        ...(web?.token && { token: web.token }),
        ...(web?.token_file && { tokenFile: web.token_file }),
      },
    }),
    roles: auth ? rolesOf(auth) : [],
  };
}

function roleOf({ role_arn, session_name, external_id }: GivenRole): AwsRole | undefined {
  if (!role_arn) return undefined;
  const sessionName = session_name || usualSession;
  return { roleArn: role_arn, sessionName, ...(external_id && { externalId: external_id }) };
}
