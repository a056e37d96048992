import type { z } from "zod";
import type { gitSource } from "../../shared/plans/plan-members.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import { readGitUrl } from "./git-url.ts";
import type { GitSource } from "./source.ts";

/**
 * The git source of a plan, if it names a URL. Throws JobFailure for values that git would take for something else;
 * `named` is the member's name in the plan.
 */
export function readGitSource(
  given: z.infer<typeof gitSource>,
  named: (member: string) => string,
): GitSource | undefined {
  const url = given?.url ?? "";
  if (given == null || url === "") return undefined;
  const { ref, tag, commit } = given;
  readGitUrl(url); // its errors are errors of the plan
  for (const [member, value] of Object.entries({ url, ref, tag, commit })) {
    if (value?.startsWith("-") === true || /[\s\p{Cc}]/u.test(value ?? "")) {
      throw invalidPlan(`${named(member)} is not a single name`);
    }
  }
  return {
    url,
    ...(commit ? { commit } : tag ? { tag } : ref ? { ref } : {}),
    withSubmodules: given.recurse_submodules ?? false,
    auth: given.auth ?? {},
  };
}
