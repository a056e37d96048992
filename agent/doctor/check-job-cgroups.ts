import path from "node:path";
import { type CgroupPowers, missingBounds, openJobCgroups } from "../job-cgroups/job-cgroups.ts";
import { isRoot } from "../job-users/run-as-user.ts";
import { type DoctorContext, failed, type Found, ok, warning } from "./finding.ts";

const howTo =
  "Run the agent by deploy/svc-agent.service (Delegate=yes, DelegateSubgroup=agent), or as root where cgroups may be made.";

/** Whether jobs get cgroups here, and which limits these can enforce. */
export async function checkJobCgroups({ config }: DoctorContext): Promise<Found> {
  return judgePowers(config, await tryJobCgroups(config));
}

/** What cgroups of jobs can do here. */
export async function tryJobCgroups(config: DoctorContext["config"]): Promise<CgroupPowers> {
  // Next to those of a running agent with these settings.
  const dataDir = path.join(config.dataDir, "doctor");
  const cgroups = await openJobCgroups({ ...config, jobCgroups: wishOf(config), dataDir });
  await cgroups.close();
  return cgroups.powers;
}

/** `on` is opened like `auto`, so that the doctor itself judges what is missing and does not throw. */
const wishOf = ({ jobCgroups }: DoctorContext["config"]) => (jobCgroups === "off" ? "off" : "auto");

/** Compares what cgroups can do with the settings. */
export function judgePowers(
  config: Pick<DoctorContext["config"], "jobCgroups" | "jobMemoryMax" | "jobPidsMax" | "jobUser">,
  powers: CgroupPowers,
): Found {
  const { jobCgroups, jobUser } = config;
  const judge = jobCgroups === "on" ? failed : warning;
  const missing = missingBounds(config, powers);
  if (missing.length > 0) {
    return judge(`${missing.join(" and ")} cannot be kept here: ${powers.words}.`, howTo);
  }
  if (!powers.kill && jobCgroups === "on") {
    return failed(`job-cgroups is on, and jobs can have none: ${powers.words}.`, howTo);
  }
  if (!powers.kill && jobUser !== undefined) {
    return ok(`Jobs have no cgroups (${powers.words}); what is left of one ends with its user.`);
  }
  if (!powers.kill) {
    const words = `Jobs have no cgroups (${powers.words}): a process that sheds its environment and its session outlives its job.`;
    return warning(words, howTo);
  }
  const bounds = `memory ${powers.memory ? "yes" : "no"}, pids ${powers.pids ? "yes" : "no"}`;
  const why = powers.words === "" ? "" : ` (${powers.words})`;
  return ok(`Each job gets a cgroup: kill yes, ${bounds}${why}.${leaving(config)}`);
}

/** Without job users, jobs may write wherever the agent may. */
function leaving({ jobUser }: Pick<DoctorContext["config"], "jobUser">): string {
  if (jobUser !== undefined) return "";
  const who = isRoot() ? "root" : "the agent's user";
  return ` Jobs run as ${who} and can leave their cgroup on purpose: job-user prevents that.`;
}
