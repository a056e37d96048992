import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { clusterFlags, clusterWords } from "../kubernetes/cluster-flags.ts";
import { endPlan } from "../plans/make-plan.ts";
import { planAndApply } from "../plans/plan-and-apply.ts";
import {
  autoApprove,
  detailedExitcode,
  followed,
  plannedJob,
  runner,
} from "../plans/plan-flags.ts";
import { requireOneInput } from "../plans/require-one-input.ts";
import { helmKind, planRelease } from "./plan-release.ts";

const release = { summary: "The release's name." } as const;
const chart = {
  summary:
    "A folder or a package of this machine, which is sent; oci://REGISTRY/CHART; git::URL//FOLDER?ref=REF; with --repo a chart's name.",
  isOptional: true,
} as const;
const releaseFlags = {
  ...clusterFlags,
  namespace: {
    ...clusterFlags.namespace,
    summary: "The release's namespace; that of the context that is sent, else default.",
  },
  "storage-driver": {
    value: "DRIVER",
    choices: ["secret", "configmap"],
    summary: "Where helm stores its releases (default: secret).",
  },
  timeout: {
    value: "DURATION",
    summary: "How long to wait until everything is ready (default: 5m).",
  },
} as const;
const chartFlags = {
  values: {
    short: "f",
    value: "FILE",
    isRepeatable: true,
    summary: "A file of values, or - for standard input.",
  },
  set: {
    value: "NAME=VALUE",
    isRepeatable: true,
    summary: "Values, as in helm's --set. Other users of this machine can see them while svc runs.",
  },
  "set-json": {
    value: "NAME=JSON",
    isRepeatable: true,
    summary: "Values as JSON, or a complete object: they override -f, and --set overrides them.",
  },
  "set-string": { value: "NAME=VALUE", isRepeatable: true, summary: "The same, always as text." },
  "set-file": {
    value: "NAME=FILE",
    isRepeatable: true,
    summary: "A value from a file; use it for secrets.",
  },
  version: { value: "VERSION", summary: "The chart's version, with --repo and oci://." },
  repo: { value: "URL", summary: "The repository of charts that CHART is in." },
  login: {
    value: "FILE",
    summary: "USER:PASSWORD for the repository, registry or git server, from a file or - .",
  },
  "plain-http": { summary: "Allow a registry without TLS." },
  "create-namespace": { summary: "Create the namespace if it does not exist." },
  "skip-crds": { summary: "Leave the chart's crds/ out." },
  "take-ownership": { summary: "Adopt objects that are owned by no release or by another one." },
  "force-conflicts": { summary: "Take over fields that others manage." },
} as const;
const sent =
  "The chart and its values are sent to the runner, rendered there by helm, and compared with what is deployed; values of " +
  "secrets are not shown, only which of them change.";

const diffRelease = defineCommand({
  name: "helm diff",
  summary: "Show what an upgrade of a release, or its uninstall, would change.",
  details: `${sent} The diff goes to standard output, the log without it to standard error. Exactly this is applied by svc helm upgrade --job. ${clusterWords}`,
  ...followed,
  args: { release, chart },
  flags: {
    runner,
    ...releaseFlags,
    ...chartFlags,
    uninstall: { summary: "Show what an uninstall would delete; takes no CHART." },
    "detailed-exitcode": detailedExitcode,
  },
  examples: [
    {
      does: "Show what would change.",
      run: "svc helm diff hello examples/helm-hello --runner run_… -n shop",
    },
    {
      does: "Check in a script: exits 7 on changes.",
      run: "svc helm diff web oci://ghcr.io/acme/web --version 1.2.3 --runner run_… --detailed-exitcode",
    },
  ],
  run: async (at) => {
    const { args, flags, screen } = at;
    if (flags.uninstall === (args.chart !== undefined)) {
      throw new UsageError("Name the chart, or with --uninstall none.");
    }
    requireOneInput(inputsOf(flags), { isAsked: false, by: "" });
    const { release, chart } = args;
    const asked = { release, chart, runner: await at.runnerOf(flags.runner), flags };
    const made = await planRelease(at, asked);
    return endPlan(screen, made, { isDetailed: flags["detailed-exitcode"] });
  },
});

const upgradeRelease = defineCommand({
  name: "helm upgrade",
  summary: "Install or upgrade a release: show the diff, ask, and apply exactly that.",
  details: `${sent} The command waits until everything is ready; if that fails, the previous release is deployed again. With --job it applies what svc helm diff showed. ${clusterWords}`,
  ...followed,
  args: { release: { ...release, isOptional: true }, chart },
  flags: {
    runner,
    ...releaseFlags,
    ...chartFlags,
    install: {
      short: "i",
      summary: "Accepted for compatibility with helm: a missing release is always installed.",
    },
    wait: { summary: "Accepted for compatibility with helm: the command always waits." },
    job: plannedJob,
    "auto-approve": autoApprove,
  },
  examples: [
    {
      does: "Install an example that needs no image.",
      run: "svc helm upgrade hello examples/helm-hello --runner run_…",
    },
    {
      does: "Upgrade with your own values, a secret among them, in your own cluster.",
      run: "svc helm upgrade web ./chart -f values.yaml --set-file db.password=pw --runner run_… --context prod -n shop",
    },
    { does: "Apply an earlier diff.", run: "svc helm upgrade --job job_… --auto-approve" },
  ],
  run: async (at) => {
    const { args, flags } = at;
    const { release: name = "", chart: given } = args;
    return await planAndApply(at, helmKind, {
      verb: "upgrade",
      flags,
      isNamed: args.release !== undefined,
      needed: "a release and its chart",
      plan: async (runnerId) => {
        if (given === undefined) throw new UsageError(`CHART is missing: ${chart.summary}`);
        requireOneInput(inputsOf(flags), {
          isAsked: !flags["auto-approve"],
          by: "svc helm diff",
        });
        return await planRelease(at, { release: name, chart: given, runner: runnerId, flags });
      },
      question: "Apply exactly this?",
      nothing: "There is nothing to apply: the release is up to date.",
    });
  },
});

/** As helm has it; what is nearest to its name would be the opposite. */
const installRelease: Command = { ...upgradeRelease, name: "helm install", isHidden: true };

const uninstallRelease = defineCommand({
  name: "helm uninstall",
  summary: "Show what an uninstall of a release deletes, ask, and do it.",
  details: `With --job it does what svc helm diff --uninstall showed. ${clusterWords}`,
  ...followed,
  args: { release: { ...release, isOptional: true } },
  flags: { runner, ...releaseFlags, job: plannedJob, "auto-approve": autoApprove },
  examples: [
    { does: "Uninstall a release.", run: "svc helm uninstall hello --runner run_… -n shop" },
  ],
  run: async (at) => {
    const { args, flags } = at;
    const { release: name = "" } = args;
    return await planAndApply(at, helmKind, {
      verb: "uninstall",
      flags,
      isNamed: args.release !== undefined,
      needed: "a release",
      plan: async (runnerId) =>
        await planRelease(at, { release: name, chart: undefined, runner: runnerId, flags }),
      question: "Uninstall all of this?",
      nothing: "There is nothing to uninstall.",
    });
  },
});

type Inputs = {
  readonly values: readonly string[];
  readonly "set-file": readonly string[];
  readonly login: string | undefined;
};

function inputsOf({ values, "set-file": files, login }: Inputs): (string | undefined)[] {
  return [...values, ...files.map((given) => given.replace(/^.*?=/, "")), login];
}

/** The commands of helm, in the order of help. */
export const helmCommands: readonly Command[] = [
  diffRelease,
  upgradeRelease,
  installRelease,
  uninstallRelease,
];
