import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import type { PartFacts } from "./deploy-facts.ts";
import type { ChosenBuild } from "./deploy-part.ts";

/** What is deployed: what the workflow's config says, by its newest build; what stands, by its own build and config (the newest where it never was deployed well); what is there, though it may have come to no good end; or a build that somebody chose. */
export type WhichBuild = "newest" | "standing" | "there" | "chosen";

/** The build that is deployed, which may not have ended yet; or why there is none. */
export function chooseBuild(
  { name, wanted, newest, deployed, deployedPart, chosen }: PartFacts,
  which: WhichBuild,
): ChosenBuild | CompositeFault {
  const what = name === "" ? "the sandbox" : `the component ${name}`;
  if (which === "chosen")
    return chosen !== undefined && usable.includes(chosen.build.status) ? chosen : goneBuild(what);
  if (
    deployed !== undefined &&
    (which === "there" || (which === "standing" && deployed.is_whole))
  ) {
    if (deployedPart === undefined || deployed.build_id === null) return goneBuild(what);
    const build = { id: deployed.build_id, status: "active", artifact: deployed.artifact };
    return { build, configured: deployedPart };
  }
  if (wanted === undefined)
    return faultOf(
      "build_unavailable",
      "It is not in the config",
      `The config of this workflow has no ${what.replace("the ", "")} any more.`,
      { retryable: false },
    );
  if (newest === undefined)
    return faultOf(
      "build_unavailable",
      "There is no build",
      `No build of ${what}, as its config is, has succeeded. Build it: ${buildCommand(name)}. Then retry.`,
    );
  return { build: newest, configured: wanted };
}

/** Builds that are there, or will be. */
const usable: readonly string[] = ["planning", "building", "active"];

/** How somebody has it built. */
export const buildCommand = (name: string): string =>
  name === "" ? "svc sandbox build APP" : `svc component build APP ${name}`;

const goneBuild = (what: string): CompositeFault =>
  faultOf(
    "build_unavailable",
    "The build is gone",
    `The build of ${what} that is to be deployed is deleted, or no config says what it is of. Deploy a newer one.`,
    { retryable: false },
  );
