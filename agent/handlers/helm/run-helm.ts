import path from "node:path";
import { readJobText } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import { type DeployClass, deployFailure } from "../../kubernetes/deploy-failure.ts";
import type { Front } from "./front.ts";

/** How helm is called for one job. */
export type HelmCaller = {
  readonly job: Job;
  readonly env: Readonly<Record<string, string>>;
  /** The proxy in front of the cluster, when the broker keeps the releases. */
  readonly front?: Front;
};

export type HelmCall = {
  /** Its name within the job: the same name is run once. */
  readonly key: string;
  readonly args: readonly string[];
  readonly timeoutMs?: number;
  readonly isCleanup?: boolean;
  readonly endEarly?: AbortSignal;
};

/** The result of a call: its output, and its errors without secrets. */
export type HelmAnswer = {
  readonly end: CommandEnd;
  readonly isGood: boolean;
  readonly out: string;
  readonly complaint: string;
  /** It was told to stop because no front listens any more where it looked for its cluster. */
  readonly isCutOff: boolean;
};

const mostOutBytes = 64 * 2 ** 20;
const mostSaidBytes = 2 ** 20;
/** On SIGINT, helm marks its release as failed and ends; killed, it leaves it pending. */
export const helmStop = { signal: "SIGINT", to: "leader", graceMs: 60_000 } as const;

/**
 * Runs helm. Its output may contain secrets: it goes to memory, and the log gets the part of the errors that may be
 * shown.
 */
export async function runHelm(
  { job, env, front }: HelmCaller,
  call: HelmCall,
): Promise<HelmAnswer> {
  const { secrets, owner, workspace } = job.directories;
  const base = path.join(secrets, `helm-${call.key.replaceAll("/", "-")}`);
  const [outFile, saidFile] = [`${base}.out`, `${base}.said`];
  const reached = await front?.reach(call.key);
  const ends = [call.endEarly, reached?.gone].filter((one) => one !== undefined);
  const end = await job.run({
    key: `helm/${call.key}`,
    step: "helm",
    argv: [
      "sh",
      "-c",
      'umask 077; exec "$@" >"$SVC_OUT" 2>"$SVC_SAID"',
      "sh",
      "helm",
      ...call.args,
    ],
    cwd: workspace,
    env: { ...env, ...reached?.env, SVC_OUT: outFile, SVC_SAID: saidFile },
    stop: helmStop,
    ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
    ...(call.isCleanup !== undefined && { isCleanup: call.isCleanup }),
    ...(ends.length > 0 && { endEarly: AbortSignal.any(ends) }),
  });
  if (end.code === 127) throw noHelm();
  const said = job.redact(await readJobText(saidFile, owner, mostSaidBytes));
  return {
    end,
    isGood: end.why === "exited" && end.code === 0,
    out: await readJobText(outFile, owner, mostOutBytes),
    complaint: complaintOf(said),
    isCutOff: end.why === "stopped" && !job.signal.aborted && reached?.gone.aborted === true,
  };
}

/** Runs helm and returns its output; throws JobFailure with helm's error. `doing` begins the sentence. */
export async function askHelm(caller: HelmCaller, call: HelmCall, doing: string): Promise<string> {
  const answer = await runHelm(caller, call);
  if (answer.isGood) return answer.out;
  throw helmFailure(answer, doing);
}

/** The failure for a failed call of helm. */
export function helmFailure({ end, complaint, isCutOff }: HelmAnswer, doing: string): JobFailure {
  if (isCutOff) return deployFailure(`${doing}: ${cutOff}`, "network");
  if (end.why === "stopped") return deployFailure(`${doing}: helm ${end.words}.`, "canceled");
  if (end.why !== "exited" || complaint === "") {
    return deployFailure(`${doing}: helm ${end.words}.`, "refused");
  }
  return deployFailure(`${doing}: ${complaint.replace(/\.$/, "")}.`, classOf(complaint));
}

const cutOff =
  "the proxy that keeps its release at the broker ended, and another program on this host has taken its port: helm was asked to stop.";

function noHelm(): JobFailure {
  return new JobFailure("The plan needs helm, which is not on this host's PATH.", {
    reason: "tool_missing",
  });
}

const mostComplaint = 1_500;

function complaintOf(said: string): string {
  const lines = said
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(?:level=|WARNING|W\d{4}|I\d{4})/.test(line));
  const from = lines.findIndex((line) => line.startsWith("Error: "));
  const told = lines.slice(Math.max(from, 0)).join(" ");
  return told.replace(/^Error: /, "").slice(0, mostComplaint);
}

const classes: readonly (readonly [RegExp, DeployClass])[] = [
  [/another operation \(install\/upgrade\/rollback\) is in progress/, "locked"],
  [/exceeded quota/, "quota"],
  [/is forbidden|cannot (?:get|list|create|patch|update|delete) resource/, "forbidden"],
  [/Unauthorized|401|authentication required|denied: requested access/, "auth"],
  [/conflicts? with "|exists and cannot be imported/, "conflict"],
  [/context deadline exceeded|timed out waiting|not ready|InProgress/, "not_ready"],
  [/does not answer|connection refused|no such host|i\/o timeout|TLS|certificate/, "network"],
  [/invalid|unknown (?:field|object)|no matches for kind/i, "config_invalid"],
  [/not found|404 Not Found/, "not_found"],
  [
    /parse error|execution error|error calling|YAML|yaml|values|schema|template|Chart\.yaml/,
    "config_invalid",
  ],
];

function classOf(complaint: string): DeployClass {
  return classes.find(([pattern]) => pattern.test(complaint))?.[1] ?? "refused";
}
