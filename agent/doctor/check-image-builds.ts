import { defaultServes } from "../../shared/process-groups.ts";
import { IsolationFault } from "../image-builds/isolation-fault.ts";
import { type Isolation, tryIsolation } from "../image-builds/try-isolation.ts";
import { findProgram } from "../processes/find-program.ts";
import { type DoctorContext, type Found, leftOut, ok, warning } from "./finding.ts";

const packages = "Install it (Debian: buildah, uidmap, slirp4netns).";
const fail = "docker-build jobs will fail";

/** Whether images can be built by Dockerfiles here, where the agent takes builds. */
export async function checkImageBuilds({ config }: DoctorContext): Promise<Found> {
  const { groups, mode, allowTypes, denyTypes, buildIsolation, buildNetwork, buildIds } = config;
  const served = groups ?? defaultServes(mode, true) ?? {};
  const isAllowed =
    allowTypes?.has("docker-build") !== false && denyTypes?.has("docker-build") !== true;
  if (!served.build || !isAllowed) return leftOut("This agent builds no images.");
  if (config.executor === "kubernetes")
    return warning(`Jobs run in pods: ${fail} there, unless the pods may make user namespaces.`);
  const search = `${config.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin`;
  if ((await findProgram("buildah", { cwd: "/", search })) === undefined)
    return warning(`buildah is not installed: ${fail}.`, packages);
  if (buildIsolation === "off") {
    const words = "What Dockerfiles run is not kept apart from this host (build-isolation = off).";
    return warning(words, "Give this agent only Dockerfiles that you trust with the host.");
  }
  try {
    return judge(await tryIsolation(buildIds.first, search), buildNetwork);
  } catch (error) {
    if (!(error instanceof IsolationFault)) throw error;
    const advice = "docs/image-builds.md says what builds of images need of a host.";
    return warning(`${fail}: ${error.message}.`, advice);
  }
}

function judge({ hasManyIds, noNetwork }: Isolation, wish: "public" | "none"): Found {
  if (!hasManyIds) {
    const words = "Dockerfiles have no user ids of their own: those with RUN fail.";
    const advice =
      "Install uidmap, and give the agent's user a range in /etc/subuid and /etc/subgid.";
    return warning(words, advice);
  }
  if (noNetwork !== undefined && wish === "public")
    return warning(`What Dockerfiles run has no network: ${noNetwork}.`, packages);
  return ok("What Dockerfiles run is kept apart from this host.");
}
