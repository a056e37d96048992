import { z } from "zod";
import { type RegistryMember, registryTypes } from "../../shared/plans/registry-member.ts";
import type { AwsIdentity } from "../credentials/aws-identity.ts";
import type { AzureIdentity } from "../credentials/azure-token.ts";
import { isGiven } from "../credentials/is-given.ts";
import { readAzureAuth } from "../credentials/read-azure-auth.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import { assertOwnHost } from "./cloud-hosts.ts";
import type { RegistryLogin } from "./log-in.ts";
import { readAwsMember } from "./read-aws-member.ts";

/** Who signs in to a registry. */
export type RegistryIdentity =
  | { readonly kind: "nobody" }
  | { readonly kind: "login"; readonly login: RegistryLogin }
  | { readonly kind: "aws"; readonly identity: AwsIdentity; readonly region: string }
  | { readonly kind: "azure"; readonly identity: AzureIdentity }
  | { readonly kind: "google"; readonly account: string | undefined };

type Kind = RegistryIdentity["kind"];
const kinds: Readonly<Record<(typeof registryTypes)[number], Kind>> = {
  ecr: "aws",
  acr: "azure",
  gar: "google",
  private_oci: "login",
  public_oci: "login",
};
const typeWord = z.enum(registryTypes);

/**
 * Reads who signs in to a registry of a plan; `name` is the registry's own in the plan, `host` its server. Throws
 * JobFailure where an identity is named that cannot be had: nobody else signs in in its place.
 */
export function readIdentity(member: RegistryMember, name: string, host: string): RegistryIdentity {
  const { registryType, plugin, serviceAccountEmail, workloadIdentityProvider } = member;
  const type = typeWord.safeParse(registryType || plugin).data;
  if (registryType && type === undefined)
    throw invalidPlan(`${name}.registryType must be one of ${registryTypes.join(", ")}`);
  const login = loginIn(member);
  const found: Kind[] = [
    ...(login === undefined ? [] : (["login"] as const)),
    ...(isGiven(member.ecrauth) ? (["aws"] as const) : []),
    ...(isGiven(member.acrauth) ? (["azure"] as const) : []),
    ...(serviceAccountEmail || workloadIdentityProvider ? (["google"] as const) : []),
  ];
  const wanted = type && found.find((kind) => kind === kinds[type]);
  if (wanted === undefined && found.length > 1) {
    throw invalidPlan(
      `${name} names several identities (${found.map((kind) => members[kind]).join(", ")}): keep one, or say which counts by registryType`,
    );
  }
  const kind = wanted ?? found[0] ?? (type === "gar" ? "google" : "nobody");
  if (kind === "nobody" && (type === "ecr" || type === "acr"))
    throw invalidPlan(
      `${name}.${type}auth is missing: a registry of type ${type} needs it, or ociauth`,
    );
  if (kind === "login") return { kind, login: login ?? {} };
  if (kind === "nobody") return { kind };
  assertOwnHost(kind, member, {
    name: kind === "google" ? name : `${name}.${members[kind]}`,
    host,
  });
  if (kind === "aws") return { kind, ...readAwsMember(member, `${name}.ecrauth`, host) };
  if (kind === "azure")
    return { kind, identity: readAzureAuth(member.acrauth ?? {}, `${name}.acrauth`) };
  if (workloadIdentityProvider) {
    throw invalidPlan(
      `${name}.workloadIdentityProvider is not supported: leave it out, so that the host's account signs in or acts for serviceAccountEmail`,
    );
  }
  return { kind, account: serviceAccountEmail || undefined };
}

const members: Readonly<Record<Kind, string>> = {
  login: "ociauth",
  aws: "ecrauth",
  azure: "acrauth",
  google: "serviceAccountEmail",
  nobody: "",
};

function loginIn(member: RegistryMember): RegistryLogin | undefined {
  const { ociauth, auth, oci_auth, username, password, token } = member;
  return [ociauth, auth, oci_auth, { username, password, token }]
    .map((one) => ({
      username: one?.username,
      password: one?.password,
      token: one?.token,
    }))
    .find(isGiven);
}
