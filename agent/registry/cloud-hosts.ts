import type { RegistryMember } from "../../shared/plans/registry-member.ts";
import { invalidPlan } from "../jobs/job-failure.ts";

const clouds = {
  aws: {
    names: /^\d{12}\.dkr\.ecr(?:-fips)?\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\.amazonaws\.com(?:\.cn)?$/,
    shown: "ACCOUNT.dkr.ecr.REGION.amazonaws.com",
  },
  google: {
    names: /^(?:(?:[a-z0-9-]+\.)+pkg\.dev|(?:[a-z0-9-]+\.)*gcr\.io)$/,
    shown: "*.pkg.dev or gcr.io",
  },
  azure: { names: /^[a-z0-9-]+\.azurecr\.(?:io|cn|us)$/, shown: "*.azurecr.io" },
} as const;

/**
 * Throws JobFailure where a cloud's identity would sign in to a registry that is not the cloud's own, or without TLS: what
 * a plan names must not get hold of it.
 */
export function assertOwnHost(
  cloud: keyof typeof clouds,
  { plain_http }: RegistryMember,
  { name, host }: { readonly name: string; readonly host: string },
): void {
  const { names, shown } = clouds[cloud];
  if (!names.test(host.toLowerCase()))
    throw invalidPlan(`${name} signs in only to ${shown}, not to ${host}: use ociauth there`);
  if (plain_http === true)
    throw invalidPlan(`${name} signs in only with TLS: leave out plain_http`);
}

/** The region of 123456789012.dkr.ecr.eu-central-1.amazonaws.com; empty for other names. */
export const ecrRegion = (host: string): string =>
  clouds.aws.names.exec(host.toLowerCase())?.[1] ?? "";
