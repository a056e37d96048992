/** The agent's exit codes, for supervisors; docs/agent-cli.md lists them. */
export const exitCodes = {
  done: { code: 0, means: "The agent was asked to stop, and all jobs have finished." },
  failed: {
    code: 1,
    means: "An internal error, or another agent uses the data directory. Start it again.",
  },
  "no-job": {
    code: 27,
    means: "run-job got no job in time, or the job of --job-file was already started before.",
  },
  usage: { code: 64, means: "The command line is invalid." },
  unreachable: {
    code: 69,
    means:
      "The broker could not be reached within start-timeout, or the cluster for the jobs does not answer.",
  },
  restart: { code: 75, means: "A restart was requested. Start it again." },
  unauthorized: { code: 77, means: "The broker refuses its token." },
  config: {
    code: 78,
    means:
      "A setting, a directory, the watch-port or this version of Node cannot be used, another agent uses the same executor-name, or the broker refuses this version.",
  },
  interrupted: { code: 130, means: "A second SIGINT: the running jobs were stopped." },
  killed: {
    code: 131,
    means: "A forced shutdown, SIGQUIT or a third signal: the running jobs were killed.",
  },
  terminated: { code: 143, means: "A second SIGTERM: the running jobs were stopped." },
} as const;

export type ExitName = keyof typeof exitCodes;

/** Exit codes of `svc-agent run-job` and `svc job run --exit-code job`, by the status of the job. */
const fates: Readonly<Record<string, number>> = { finished: 0, "timed-out": 124, cancelled: 130 };
const otherFate = 1;

/** The exit code for the status in which a job ended. */
export function jobExitCode(status: string): number {
  return fates[status] ?? otherFate;
}
