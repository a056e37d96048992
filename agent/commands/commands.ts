import { completionScript, shells } from "../../shared/command-line/completion.ts";
import type { CommandGroup } from "../../shared/command-line/program.ts";
import { type AgentCommand, defineCommand } from "./agent-command.ts";

const json = { summary: "Print JSON." };

const runningCommands = [
  defineCommand({
    name: "start",
    summary: "Run an agent: take jobs of a runner and run them until it is asked to stop.",
    settings: "all",
    examples: [
      {
        does: "enrol with a one-time token, then take jobs",
        run: "svc-agent start --broker-url https://svc.example.com --token-file enrolment-token",
      },
    ],
    run: async (call) => (await import("./start.ts")).start(call),
  }),
  defineCommand({
    name: "run-job",
    summary: "Run one job in the foreground, print its log, and exit with its result.",
    settings: "all",
    flags: {
      wait: { value: "DURATION", summary: "How long to wait for a job (default: no limit)." },
      "job-file": {
        value: "FILE",
        summary:
          "Run the job in this file, which svc-agent start --executor kubernetes has claimed and written.",
      },
    },
    examples: [
      {
        does: "one job, or give up after a minute",
        run: "svc-agent run-job --broker-url https://svc.example.com --token-file token --wait 1m",
      },
    ],
    run: async (call) => (await import("./run-job.ts")).runOneJob(call),
  }),
  defineCommand({
    name: "mng",
    summary: "Manage the install agent of this host: keep it running, update, restart and stop it.",
    settings: "all",
    examples: [
      {
        does: "keep an agent running that reads its own settings, and switch its version when asked",
        run: "svc-agent mng --config /etc/svc-agent/mng.conf",
      },
    ],
    run: async (call) => (await import("./mng.ts")).manage(call),
  }),
  defineCommand({
    name: "status",
    summary: "Show the state of the agent that uses a data directory.",
    settings: ["data-dir"],
    flags: { json },
    codes: [
      ["0", "The agent is ready."],
      ["1", "The agent is not ready."],
      ["2", "No agent uses the data directory, or it does not answer."],
    ],
    examples: [{ does: "wait until it is ready", run: "until svc-agent status; do sleep 1; done" }],
    run: async (call) => (await import("./status.ts")).status(call),
  }),
  defineCommand({
    name: "doctor",
    summary: "Check whether an agent with these settings can work on this host, and what to fix.",
    settings: "all",
    flags: { json },
    codes: [
      ["0", "All checks passed."],
      ["1", "A check failed: an agent cannot work here."],
      ["2", "There are warnings."],
    ],
    examples: [
      {
        does: "before the first start",
        run: "svc-agent doctor --broker-url https://svc.example.com --token-file enrolment-token",
      },
    ],
    run: async ({ readConfig, flags, say }) => {
      const { doctor } = await import("./doctor.ts");
      const write = (text: string): void => say(text.replace(/\n$/, ""));
      return await doctor({ config: readConfig(), isJson: flags.json, write });
    },
  }),
];

const jobCommands = [
  defineCommand({
    name: "output set",
    summary: "Set an output of the job, from standard input or a file.",
    args: { name: { summary: "The output's name." } },
    flags: {
      "value-file": {
        value: "FILE",
        summary: "Read the value from a file (default: standard input).",
      },
      json: { summary: "The value is JSON. Without it, text; one newline at its end is dropped." },
      secret: { summary: "Keep the value secret: later steps get it, nothing shows it." },
    },
    examples: [
      { does: "the version that was built", run: "git describe | svc-agent output set version" },
    ],
    run: async (call) => (await import("./tell-job.ts")).setOutput(call),
  }),
  defineCommand({
    name: "redact add",
    summary: "Redact a secret from the job's log from now on, read from standard input or a file.",
    args: {
      file: { isOptional: true, summary: "The file with the secret (default: standard input)." },
    },
    examples: [
      { does: "a token that a script made", run: "./make-token.sh | svc-agent redact add" },
    ],
    run: async (call) => (await import("./tell-job.ts")).addSecret(call),
  }),
];

const orderFile = { file: { summary: "The file that the agent has written." } };

const internalCommands = [
  defineCommand({
    name: "source fetch",
    summary: "Fetch a source of the job. Called by the agent.",
    args: orderFile,
    run: async ({ args, ...call }) =>
      await (await import("../sources/run-fetch-request.ts")).runFetchRequest(args.file, call),
  }),
  defineCommand({
    name: "source lfs",
    summary: "Fetch the files of a source that are in Git LFS. Called by the agent.",
    args: orderFile,
    run: async ({ args, ...call }) =>
      await (await import("../sources/run-lfs-request.ts")).runLfsRequest(args.file, call),
  }),
  defineCommand({
    name: "artifact pack",
    summary: "Pack what a build has made. Called by the agent.",
    args: orderFile,
    run: async ({ args, say }) =>
      await (await import("../artifacts/run-pack-request.ts")).runPackRequest(args.file, say),
  }),
  defineCommand({
    name: "artifact push",
    summary: "Push what a build has packed to its registry. Called by the agent.",
    args: orderFile,
    run: async ({ args, ...call }) =>
      await (await import("../artifacts/run-push-request.ts")).runPushRequest(args.file, call),
  }),
  defineCommand({
    name: "image-build prepare",
    summary: "Read a Dockerfile and pull the images it names. Called by the agent.",
    args: orderFile,
    run: async ({ args, ...call }) =>
      await (
        await import("../image-builds/run-prepare-request.ts")
      ).runPrepareRequest(args.file, call),
  }),
  defineCommand({
    name: "image-build run",
    summary: "Build an image by a Dockerfile, apart from the host. Called by the agent.",
    args: orderFile,
    run: async ({ args, ...call }) =>
      await (await import("../image-builds/run-build-request.ts")).runBuildRequest(args.file, call),
  }),
  defineCommand({
    name: "image",
    summary: "Copy an image from one registry to another, or look at it. Called by the agent.",
    args: orderFile,
    run: async ({ args, ...call }) =>
      await (await import("../handlers/images/run-image-order.ts")).runImageOrder(args.file, call),
  }),
  defineCommand({
    name: "aws-credentials",
    summary: "Print AWS credentials for the job's roles. Called by AWS tools (credential_process).",
    args: orderFile,
    run: async ({ args, env, say }) =>
      await (await import("./aws-credentials.ts")).printAwsCredentials(args.file, env, say),
  }),
  defineCommand({
    name: "kube-token",
    summary: "Print a token for the job's EKS, GKE or AKS cluster. Called by Kubernetes clients.",
    args: orderFile,
    run: async ({ args, env, say }) =>
      await (await import("./kube-token.ts")).printKubeToken(args.file, env, say),
  }),
  defineCommand({
    name: "helm-front",
    summary:
      "Proxy helm's requests to its cluster, and keep its releases at the broker. Called by the agent.",
    args: orderFile,
    run: async ({ args, env }) =>
      await (await import("../helm-front/serve-front.ts")).serveFront(args.file, env),
  }),
];

const otherCommands = [
  defineCommand({
    name: "completion",
    summary: "Print a shell script that completes commands and flags.",
    args: { shell: { choices: shells, summary: `One of ${shells.join(", ")}.` } },
    examples: [{ does: "bash, in this session", run: "source <(svc-agent completion bash)" }],
    run: async ({ args, say }) => {
      say(completionScript("svc-agent", args.shell));
      return await Promise.resolve();
    },
  }),
  defineCommand({
    name: "completion suggest",
    summary: "List what can come next on a command line.",
    isHidden: true,
    args: { words: { summary: "The words so far.", isRepeatable: true, isOptional: true } },
    run: async ({ args, suggest, say }) => {
      for (const word of suggest(args.words).words) say(word);
      return await Promise.resolve();
    },
  }),
  defineCommand({
    name: "version",
    summary: "Show the versions of the agent and of the Node it runs on.",
    flags: { json },
    run: async ({ flags, say }) => (await import("./version.ts")).showVersion(flags.json, say),
  }),
];

/** Every command of svc-agent, in the order of help and docs/agent-cli.md. */
export const commandGroups: readonly CommandGroup<AgentCommand>[] = [
  { title: "Run and check an agent", commands: runningCommands },
  { title: "For scripts inside a job", commands: jobCommands },
  { title: "Called by the agent and by tools inside a job", commands: internalCommands },
  { title: "Other", commands: otherCommands },
];
