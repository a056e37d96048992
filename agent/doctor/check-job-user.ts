import { readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { canLookIntoProcesses, missingCapabilities } from "../job-users/capabilities.ts";
import { findSetpriv, isRoot } from "../job-users/run-as-user.ts";
import { type DoctorContext, failed, type Found, ok, warning } from "./finding.ts";

const howTo =
  "Run the agent as root with job-user = 59800-59831 (docs/agent.md, “Jobs as other users”), or run on this host only jobs that may know the token.";

/** Whether jobs cannot reach the runner's token: they run as other users, and that works here. */
export async function checkJobUser({ config }: DoctorContext): Promise<Found> {
  const { jobUser } = config;
  if (jobUser === undefined) return asTheAgent();
  const range = `${jobUser.first}-${jobUser.last}`;
  if (!isRoot()) {
    const words = `job-user is ${range}, and this is user ${process.geteuid?.()}: only root can start jobs as other users.`;
    return failed(words, "Run the agent as root, or remove job-user.");
  }
  const missing = missingCapabilities();
  if (missing.length > 0) {
    const words = `job-user is ${range}, and this root may not do what it takes: ${missing.join(", ")}.`;
    return failed(words, `Give the container ${missing.map((name) => `CAP_${name}`).join(", ")}.`);
  }
  if ((await findSetpriv()) === undefined) {
    return failed("job-user needs setpriv, which is not here.", "Install util-linux.");
  }
  return (
    oddities(config) ?? ok(`Jobs run as users ${range}, one each: the token is out of their reach.`)
  );
}

function asTheAgent(): Found {
  const who = isRoot() ? "root, as the agent" : `the agent's own user, ${userInfo().username}`;
  const words = `Jobs run as ${who}: each can read the runner's token, other jobs' files and the agent itself.`;
  return warning(words, howTo);
}

/** Works, but should be changed. */
function oddities(config: DoctorContext["config"]): Found | undefined {
  const { jobUser, tokenFile } = config;
  if (jobUser === undefined) return undefined;
  if (tokenFile !== undefined && isOpenToAll(tokenFile)) {
    const words = `Every user of this host, every job too, can read ${tokenFile}.`;
    return failed(words, `chmod 600 ${tokenFile}`);
  }
  const count = jobUser.last - jobUser.first + 1;
  const most = Object.values(config.groups ?? {}).reduce((sum, slots) => sum + slots, 0);
  if (count < most) {
    const words = `job-user has ${count} users for ${most} slots: jobs wait for a user.`;
    return warning(words, "Name more users, or fewer slots with groups.");
  }
  if (!canLookIntoProcesses()) {
    const words =
      "The agent may not inspect its jobs' processes: a process that leaves its session is only found at the job's end.";
    return warning(words, "Give the container CAP_SYS_PTRACE.");
  }
  const nameless = namelessUsers(jobUser.first, jobUser.last);
  if (nameless === 0) return undefined;
  const words = `${nameless} users of job-user have no name in /etc/passwd: ssh, and so git over ssh, refuses to work for them.`;
  return warning(words, "Make them: systemd-sysusers with deploy/svc-agent.sysusers.conf.");
}

function isOpenToAll(file: string): boolean {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o004) !== 0;
}

function namelessUsers(first: number, last: number): number {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  const known = new Set(lines.map((line) => Number(line.split(":")[2])));
  let count = 0;
  for (let user = first; user <= last; user += 1) if (!known.has(user)) count += 1;
  return count;
}
