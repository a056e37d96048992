/** What the agent's exit says; supervisors and docs/agent.md go by it. */
export const exitCodes = {
  done: { code: 0, means: "It was asked to go and has let everything finish." },
  failed: {
    code: 1,
    means: "A fault of its own, or another agent has its data directory; start it again.",
  },
  "no-job": {
    code: 27,
    means: "No job came while run-job waited, or the one of --job-file was begun before.",
  },
  usage: { code: 64, means: "The command line is wrong." },
  unreachable: {
    code: 69,
    means:
      "The broker could not be reached within start-timeout, or the cluster of its jobs does not answer.",
  },
  restart: { code: 75, means: "It was asked to restart: start it again." },
  unauthorized: { code: 77, means: "The broker refuses its token." },
  config: {
    code: 78,
    means:
      "A setting, a place on disk, the watch-port or this Node cannot be used, another agent has its executor-name, or the broker refuses this version.",
  },
  interrupted: { code: 130, means: "A second SIGINT: what ran was stopped." },
  killed: {
    code: 131,
    means: "An operator's force, SIGQUIT or a third signal: what ran was killed.",
  },
  terminated: { code: 143, means: "A second SIGTERM: what ran was stopped." },
} as const;

export type ExitName = keyof typeof exitCodes;

/** How a job ended, as the exit code of `svc-agent run-job` and of `svc job run --exit-code fate`. */
const fates: Readonly<Record<string, number>> = { finished: 0, "timed-out": 124, cancelled: 130 };
const otherFate = 1;

/** The exit code for the status in which a job ended. */
export function fateOf(status: string): number {
  return fates[status] ?? otherFate;
}
