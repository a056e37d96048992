import type { RegistryMember } from "../../shared/plans/registry-member.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import { type ArtifactLocation, type Reference, readReference } from "./reference.ts";
import { RegistryFault } from "./registry-fault.ts";
import { readIdentity, type RegistryIdentity } from "./registry-identity.ts";

/** An artifact, or where one will be, and who signs in there. */
export type RegistryPlace = ArtifactLocation & { readonly identity: RegistryIdentity };

type Besides = {
  readonly tag?: string | null | undefined;
  readonly digest?: string | null | undefined;
};

/**
 * Reads a registry of a plan; undefined when it names none. Its own tag and digest go before those beside it. Throws
 * JobFailure; `name` is its own in the plan.
 */
export function readRegistryPlace(
  given: string | RegistryMember | null | undefined,
  name: string,
  besides: Besides = {},
): RegistryPlace | undefined {
  const member: RegistryMember | null | undefined =
    typeof given === "string" ? { url: given } : given;
  const server = member?.loginServer || member?.url || member?.registry || "";
  const repository = member?.repository || "";
  if (member == null || (server === "" && repository === "")) return undefined;
  const url = server === "" ? repository : server;
  const host = url.replace(/^\w+:\/\//, "").split("/")[0] ?? "";
  const inside = repository.startsWith(`${host}/`) ? repository.slice(host.length + 1) : repository;
  const isApart = server !== "" && inside !== "" && !isWithin(url, inside);
  const tag = member.tag || besides.tag;
  const digest = member.digest || besides.digest;
  return {
    url,
    ...(isApart && { repository: inside }),
    ...(tag && { tag }),
    ...(digest && { digest }),
    isPlain: member.plain_http ?? false,
    identity: readIdentity(member, name, host),
  };
}

/** Some plans repeat the repository in the registry. */
const isWithin = (url: string, repository: string): boolean => url.endsWith(`/${repository}`);

/** The reference of a place in a plan. Throws JobFailure that says what is wrong with it; `name` begins the words. */
export function placeReference(place: ArtifactLocation, name: string): Reference {
  try {
    return readReference(place);
  } catch (error) {
    if (error instanceof RegistryFault) throw invalidPlan(`${name}: ${error.message}`);
    throw error;
  }
}
