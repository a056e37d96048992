import type { RegistryMember } from "../../shared/plans/registry-member.ts";
import type { AwsIdentity } from "../credentials/aws-identity.ts";
import { readAwsAuth } from "../credentials/read-aws-auth.ts";
import { awsRegionWords, isAwsRegion } from "../credentials/regions.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import { ecrRegion } from "./cloud-hosts.ts";

/** The AWS identity of a registry, and the region of both. Throws JobFailure for what this agent cannot be. */
export function readAwsMember(
  { ecrauth, region: ofRegistry }: RegistryMember,
  name: string,
  host: string,
): { readonly identity: AwsIdentity; readonly region: string } {
  if (ofRegistry && !isAwsRegion(ofRegistry)) throw invalidPlan(`${name}.region ${awsRegionWords}`);
  const region = ecrRegion(host);
  return { region, identity: readAwsAuth(ecrauth ?? {}, name, region) };
}
