import { checkApproval } from "./check-approval.ts";
import { checkBroker, checkClock } from "./check-broker.ts";
import { checkCluster } from "./check-cluster.ts";
import { checkConnection, checkProxy } from "./check-connection.ts";
import { checkDisk } from "./check-disk.ts";
import { checkExecutor } from "./check-executor.ts";
import { checkGitCredentials } from "./check-git-credentials.ts";
import { checkHeldPoll } from "./check-held-poll.ts";
import { checkImageBuilds } from "./check-image-builds.ts";
import { checkJobCgroups } from "./check-job-cgroups.ts";
import { checkJobUser } from "./check-job-user.ts";
import { checkManagement } from "./check-management.ts";
import { checkName } from "./check-name.ts";
import { checkRunDir } from "./check-run-dir.ts";
import { checkTls } from "./check-tls.ts";
import { checkToken } from "./check-token.ts";
import { checkTools } from "./check-tools.ts";
import { checkUnit } from "./check-unit.ts";
import { type DoctorContext, failed, type Finding, type Found, leftOut } from "./finding.ts";

type Check = {
  readonly name: string;
  readonly run: (context: DoctorContext) => Promise<Found>;
};

/** Checks of the connection to the broker; each runs only if the ones before it passed. */
const way: readonly Check[] = [
  { name: "name", run: checkName },
  { name: "connection", run: checkConnection },
  { name: "proxy", run: checkProxy },
  { name: "tls", run: checkTls },
  { name: "broker", run: checkBroker },
  { name: "clock", run: checkClock },
  { name: "token", run: checkToken },
  { name: "held poll", run: checkHeldPoll },
];

/** Checks of the host; they are independent. */
const host: readonly Check[] = [
  { name: "disk", run: checkDisk },
  { name: "run dir", run: checkRunDir },
  { name: "job user", run: checkJobUser },
  { name: "job cgroups", run: checkJobCgroups },
  { name: "image builds", run: checkImageBuilds },
  { name: "git credentials", run: checkGitCredentials },
  { name: "approval", run: checkApproval },
  { name: "cluster", run: checkCluster },
  { name: "executor", run: checkExecutor },
  { name: "service", run: checkUnit },
  { name: "management", run: checkManagement },
];

/** Runs all checks and reports each finding as soon as it is known, in order. */
export async function runChecks(
  context: DoctorContext,
  tell: (finding: Finding) => void,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (finding: Finding): void => {
    findings.push(finding);
    tell(finding);
  };
  const hosts = Promise.all(host.map(async (check) => await runOne(check, context)));
  const tools = checkTools(context);
  let broken: string | undefined;
  for (const check of way) {
    const finding =
      broken === undefined
        ? await runOne(check, context)
        : { check: check.name, ...leftOut(`Not tried: see ${broken}.`) };
    if (finding.verdict === "failed") broken ??= finding.check;
    add(finding);
  }
  for (const finding of [...(await hosts), ...(await tools)]) add(finding);
  return findings;
}

async function runOne({ name, run }: Check, context: DoctorContext): Promise<Finding> {
  try {
    return { check: name, ...(await run(context)) };
  } catch (error) {
    return { check: name, ...failed(error instanceof Error ? error.message : "It broke off.") };
  }
}
