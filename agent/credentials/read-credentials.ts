import { z } from "zod";
import { firstFault } from "../../shared/issue-words.ts";
import { invalidPlan as unfit } from "../jobs/job-failure.ts";
import { awsRegionWords, isAwsRegion, isRegion } from "./regions.ts";

const text = z.string().nullish();
const key = z.union([z.string(), z.looseObject({})]).nullish();

const role = z.looseObject({ role_arn: text, session_name: text, external_id: text });

const credentials = z.object({
  aws_auth: z
    .looseObject({
      region: text,
      profile: text,
      static: z
        .looseObject({ access_key_id: text, secret_access_key: text, session_token: text })
        .nullish(),
      assume_role: role.nullish(),
      // Extensions of ours: roles that are assumed before that one, and a token for the first.
      assume_roles: z.array(role).nullish(),
      web_identity: role.extend({ token: text, token_file: text }).nullish(),
    })
    .nullish(),
  azure_auth: z
    .looseObject({
      subscription_id: text,
      tenant_id: text,
      client_id: text,
      client_secret: text,
      use_msi: z.boolean().nullish(),
    })
    .nullish(),
  gcp_auth: z
    .looseObject({
      project_id: text,
      region: text,
      credentials: key,
      service_account_key: key,
      impersonate_service_account: text,
    })
    .nullish(),
  cluster_info: z
    .looseObject({
      id: text,
      endpoint: text,
      ca_data: text,
      token: text,
      kube_config: text,
      kubeconfig: text,
      // Extension of ours: the cluster's cloud (aws, gcp, azure) and region.
      cloud: z.enum(["aws", "gcp", "azure"]).nullish(),
      region: text,
      env_vars: z.record(z.string(), z.string()).nullish(),
    })
    .nullish(),
});
export type Credentials = z.infer<typeof credentials>;
type Of<Name extends keyof Credentials> = NonNullable<Credentials[Name]>;
export type AwsAuth = Of<"aws_auth">;
export type AzureAuth = Of<"azure_auth">;
export type GcpAuth = Of<"gcp_auth">;
export type ClusterInfo = Of<"cluster_info">;

/**
 * Reads the credentials of a plan. Throws JobFailure that names a wrong or incomplete member, because the job would
 * otherwise silently run as the host.
 */
export function readCredentials(plan: object): Credentials {
  const { data, error } = credentials.safeParse(plan);
  if (data === undefined) {
    throw unfit(firstFault(error));
  }
  const { aws_auth, azure_auth, cluster_info } = data;
  const { access_key_id, secret_access_key } = aws_auth?.static ?? {};
  const web = aws_auth?.web_identity;
  const halves: readonly (readonly [string, unknown, string, unknown])[] = [
    ["aws_auth.static.access_key_id", access_key_id, "secret_access_key", secret_access_key],
    ["aws_auth.static.secret_access_key", secret_access_key, "access_key_id", access_key_id],
    ["aws_auth.web_identity.role_arn", web?.role_arn, "token", web?.token || web?.token_file],
    ["aws_auth.web_identity.token", web?.token || web?.token_file, "role_arn", web?.role_arn],
    ["azure_auth.client_secret", azure_auth?.client_secret, "client_id", azure_auth?.client_id],
    ["cluster_info.token", cluster_info?.token, "endpoint", endpointOf(cluster_info)],
  ];
  for (const [member, given, other, needed] of halves) {
    if (given && !needed) throw unfit(`${member} is set without ${other}`);
  }
  assertRegions(data);
  return data;
}

/** A region becomes a part of host names. */
function assertRegions({ aws_auth, gcp_auth, cluster_info }: Credentials): void {
  const ofAws = [
    ["aws_auth", aws_auth?.region],
    ["cluster_info", cluster_info?.cloud === "aws" ? cluster_info.region : undefined],
  ] as const;
  for (const [member, region] of ofAws)
    if (region && !isAwsRegion(region)) throw unfit(`${member}.region ${awsRegionWords}`);
  for (const [member, given] of Object.entries({ gcp_auth, cluster_info })) {
    if (!given?.region || isRegion(given.region)) continue;
    throw unfit(`${member}.region must be 1 to 64 lower-case letters, digits and -`);
  }
}

const endpointOf = (info: Credentials["cluster_info"]): string | null | undefined =>
  info?.endpoint || info?.kube_config || info?.kubeconfig;
