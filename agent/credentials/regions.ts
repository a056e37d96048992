import { CredentialFault } from "./credential-fault.ts";

/** Whether a word is the name of a region of AWS: `eu-central-1`, `us-gov-west-1`. */
export const isAwsRegion = (word: string): boolean => /^[a-z]{2,4}(?:-[a-z]+)+-\d+$/.test(word);

/** Whether a word can be the name of a region of any cloud: `europe-west3`, `westeurope`. */
export const isRegion = (word: string): boolean => /^[a-z0-9-]{1,64}$/.test(word);

/** What people are told who name another. */
export const awsRegionWords = "must be the name of an AWS region, such as eu-central-1";

/** The domains of AWS' partitions, by how the names of their regions begin. */
const domains: readonly (readonly [RegExp, string])[] = [
  [/^cn-/, "amazonaws.com.cn"],
  [/^eusc-/, "amazonaws.eu"],
  [/^us-iso-/, "c2s.ic.gov"],
  [/^us-isob-/, "sc2s.sgov.gov"],
  [/^us-isof-/, "csp.hci.ic.gov"],
  [/^eu-isoe-/, "cloud.adc-e.uk"],
];

/**
 * The URL of a service of AWS in a region. Throws CredentialFault for what is no region: whatever else a plan says, it
 * leads to no other host.
 */
export function awsUrl(service: "sts" | "api.ecr" | "secretsmanager", region: string): string {
  if (!isAwsRegion(region)) {
    throw new CredentialFault(`The region ${JSON.stringify(region)} ${awsRegionWords}.`);
  }
  const [, domain = "amazonaws.com"] = domains.find(([names]) => names.test(region)) ?? [];
  return `https://${service}.${region}.${domain}/`;
}
