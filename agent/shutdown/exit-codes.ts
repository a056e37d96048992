/** What the agent's exit says; supervisors and docs/agent.md go by it. */
export const exitCodes = {
  done: { code: 0, doc: "It was asked to go and has let everything finish." },
  failed: {
    code: 1,
    doc: "A fault of its own, or another agent has its data directory; start it again.",
  },
  "no-job": {
    code: 27,
    doc: "No job came while run-job waited, or the one of --job-file was begun before.",
  },
  usage: { code: 64, doc: "The command line is wrong." },
  unreachable: {
    code: 69,
    doc: "The broker could not be reached within start-timeout, or the cluster of its jobs does not answer.",
  },
  restart: { code: 75, doc: "It was asked to restart: start it again." },
  unauthorized: { code: 77, doc: "The broker refuses its token." },
  config: {
    code: 78,
    doc: "A setting, a place on disk, the watch-port or this Node cannot be used, another agent has its executor-name, or the broker refuses this version.",
  },
  interrupted: { code: 130, doc: "A second SIGINT: what ran was stopped." },
  killed: {
    code: 131,
    doc: "An operator's force, SIGQUIT or a third signal: what ran was killed.",
  },
  terminated: { code: 143, doc: "A second SIGTERM: what ran was stopped." },
} as const;

export type ExitName = keyof typeof exitCodes;
