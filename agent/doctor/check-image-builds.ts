import { defaultServes } from "../../shared/process-groups.ts";
import { CredentialFault } from "../credentials/credential-fault.ts";
import { IsolationFault } from "../image-builds/isolation-fault.ts";
import { type Isolation, tryIsolation } from "../image-builds/try-isolation.ts";
import { findProgram } from "../processes/find-program.ts";
import { readRegistryCredentials } from "../registry/registry-credentials.ts";
import { tryJobCgroups } from "./check-job-cgroups.ts";
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
  const unread = await unreadCredentials(config.registryCredentials);
  if (unread !== undefined) return warning(`${fail}: ${unread}`);
  const search = `${config.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin`;
  if ((await findProgram("buildah", { cwd: "/", search })) === undefined)
    return warning(`buildah is not installed: ${fail}.`, packages);
  if (buildIsolation === "off") {
    const words = "What Dockerfiles run is not kept apart from this host (build-isolation = off).";
    return warning(words, "Give this agent only Dockerfiles that you trust with the host.");
  }
  try {
    const found = judge(await tryIsolation(buildIds.first, search), buildNetwork);
    return found.verdict === "ok" ? await withBounds(config, found) : found;
  } catch (error) {
    if (!(error instanceof IsolationFault)) throw error;
    const advice = "docs/image-builds.md says what builds of images need of a host.";
    return warning(`${fail}: ${error.message}.`, advice);
  }
}

/** Without a cgroup nothing counts what all ids of a build take together. */
async function withBounds(config: DoctorContext["config"], found: Found): Promise<Found> {
  const { memory, pids, words } = await tryJobCgroups(config);
  const lacking = [...(memory ? [] : ["memory"]), ...(pids ? [] : ["processes"])].join(" and ");
  if (lacking === "") return found;
  const advice = "Run the agent where it can make cgroups for jobs: see job cgroups.";
  return warning(`Nothing bounds the ${lacking} of a Dockerfile: ${words}.`, advice);
}

/** Why the logins to registries cannot be read, if so. */
async function unreadCredentials(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const all = await readRegistryCredentials(file);
    for (const { login } of all) await login();
    return undefined;
  } catch (error) {
    if (error instanceof CredentialFault) return error.message;
    throw error;
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
