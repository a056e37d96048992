import { CredentialFault } from "./credential-fault.ts";

/** Whether a word is the name of a region of AWS: `eu-central-1`, `us-gov-west-1`. */
export const isAwsRegion = (word: string): boolean => /^[a-z]{2,4}(?:-[a-z]+)+-\d+$/.test(word);

/** Whether a word can be the name of a region of any cloud: `europe-west3`, `westeurope`. */
export const isRegion = (word: string): boolean => /^[a-z0-9-]{1,64}$/.test(word);

/** What people are told who name another. */
export const awsRegionWords = "must be the name of an AWS region, such as eu-central-1";

/**
 * The URL of a service of AWS in a region. Throws CredentialFault for what is no region: whatever else a plan says, it
 * leads to no other host.
 */
export function awsUrl(service: "sts" | "api.ecr", region: string): string {
  if (!isAwsRegion(region)) {
    throw new CredentialFault(`The region ${JSON.stringify(region)} ${awsRegionWords}.`);
  }
  return `https://${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`;
}
