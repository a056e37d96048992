import type { AgentCommand } from "./agent-command.ts";

/** Every command of svc-agent. */
export const agentCommands: readonly AgentCommand[] = [
  {
    name: "start",
    summary: "Takes jobs of a runner and does them, until it is told to go.",
    settings: "all",
    run: async (call) => (await import("./start.ts")).start(call),
  },
  {
    name: "run-job",
    summary: "Does one job in the foreground, shows its log, and exits as it ended.",
    settings: "all",
    flags: {
      wait: { value: "DURATION", doc: "How long to wait for a job; for ever, unless told." },
      "job-file": {
        value: "FILE",
        doc: "Do the job in this file, which svc-agent start --executor kubernetes has claimed and written.",
      },
    },
    run: async (call) => (await import("./run-job.ts")).runOneJob(call),
  },
  {
    name: "status",
    summary: "Tells how the agent of a data directory is.",
    settings: ["data-dir"],
    flags: { json: { doc: "As JSON, for programs." } },
    run: async (call) => (await import("./status.ts")).status(call),
  },
  {
    name: "doctor",
    summary: "Says in words whether an agent with these settings can work here, and what is wrong.",
    settings: "all",
    flags: { json: { doc: "As JSON, for programs." } },
    run: async ({ readConfig, flags, say }) => {
      const { doctor } = await import("./doctor.ts");
      const write = (text: string): void => say(text.replace(/\n$/, ""));
      return await doctor({ config: readConfig(), isJson: flags["json"] !== undefined, write });
    },
  },
  {
    name: "output set",
    words: "NAME",
    mostWords: 1,
    summary: "Inside of a job: sets an output, of a value from standard input or a file.",
    settings: [],
    flags: {
      "value-file": { value: "FILE", doc: "Where the value is; standard input, unless told." },
      json: { doc: "The value is JSON; without it, text. A newline at its very end is dropped." },
      secret: { doc: "Later steps get it; it is shown nowhere." },
    },
    run: async (call) => (await import("./output-set.ts")).setOutput(call),
  },
  {
    name: "redact add",
    words: "[FILE]",
    mostWords: 1,
    summary:
      "Inside of a job: hides a secret, from standard input or a file, in all that is printed from now on.",
    settings: [],
    run: async (call) => (await import("./redact-add.ts")).addSecret(call),
  },
  {
    name: "source fetch",
    words: "FILE",
    mostWords: 1,
    summary:
      "Inside of a job: fetches the source that the agent has written down; the agent calls it.",
    settings: [],
    run: async (call) => (await import("./source-fetch.ts")).fetchOrdered(call),
  },
  {
    name: "aws-credentials",
    words: "FILE",
    mostWords: 1,
    summary: "Inside of a job: gets AWS keys for the roles of the job; AWS' tools call it.",
    settings: [],
    run: async (call) => (await import("./aws-credentials.ts")).printAwsCredentials(call),
  },
  {
    name: "kube-token",
    words: "FILE",
    mostWords: 1,
    summary:
      "Inside of a job: gets a token for its cluster from EKS, GKE or AKS; Kubernetes' tools call it.",
    settings: [],
    run: async (call) => (await import("./kube-token.ts")).printKubeToken(call),
  },
  {
    name: "helm-front",
    words: "FILE",
    mostWords: 1,
    summary:
      "Inside of a job: stands between helm and its cluster, so that releases are kept by the broker; the agent calls it.",
    settings: [],
    run: async (call) => (await import("./helm-front.ts")).runFront(call),
  },
  {
    name: "version",
    summary: "Tells the versions of the agent and of what it runs on.",
    settings: [],
    flags: { json: { doc: "As JSON, for programs." } },
    run: async (call) => (await import("./version.ts")).showVersion(call),
  },
];
