import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Command, type CommandCall, defineCommand } from "../command.ts";
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
import { manifestKind, planManifests } from "./plan-manifests.ts";

const args = {
  path: {
    summary:
      "Files, folders (their .yaml, .yml and .json), or - for standard input; or oci://REGISTRY/REPOSITORY:TAG, git::URL//FOLDER?ref=REF.",
    isOptional: true,
    isRepeatable: true,
  },
} as const;
const manifestFlags = {
  filename: {
    short: "f",
    value: "PATH",
    isRepeatable: true,
    summary: "One more path, as in kubectl.",
  },
  recursive: { short: "R", summary: "Include the folders in each folder." },
  kustomize: {
    short: "k",
    value: "DIR",
    summary:
      "A kustomization, in place of paths. Its complete folder is sent; of bases outside it, only the files that they name.",
  },
  "enable-helm": { summary: "Allow the kustomization to render charts." },
  "load-restrictor": {
    value: "WHICH",
    choices: ["LoadRestrictionsRootOnly", "LoadRestrictionsNone"],
    summary:
      "As in kustomize: with LoadRestrictionsNone a kustomization may load files from outside its own folder, and these are sent; otherwise they are refused.",
  },
  login: {
    value: "FILE",
    summary: "USER:PASSWORD for the registry or git server, from a file or - .",
  },
  "plain-http": { summary: "Allow a registry without TLS." },
  ...clusterFlags,
  name: {
    value: "NAME",
    summary:
      "Record what is applied under this name in the namespace, for --prune and svc manifest delete. Without it, nothing is recorded.",
  },
  "delete-kind": {
    value: "KIND",
    isRepeatable: true,
    choices: ["Namespace", "CustomResourceDefinition", "PersistentVolumeClaim"],
    summary: "Allow deleting this kind, although more is deleted with it.",
  },
  timeout: {
    value: "DURATION",
    summary: "How long to wait until everything is ready (default: 10m).",
  },
} as const;
const applyFlags = {
  prune: {
    summary: "Delete what was applied under this --name before and is no longer in the files.",
  },
  "force-conflicts": { summary: "Take over fields that others manage." },
  "no-wait": { summary: "Do not wait until everything is ready." },
} as const;
const sent =
  "The manifests are sent to the runner and compared by the cluster itself (a server-side dry run); values of secrets " +
  "are not shown, only which of them change.";

const diffManifest = defineCommand({
  name: "manifest diff",
  summary: "Show what an apply of Kubernetes manifests, or their deletion, would change.",
  details: `${sent} The diff goes to standard output, the log without it to standard error. Exactly this is applied by svc manifest apply --job. ${clusterWords}`,
  ...followed,
  args,
  flags: {
    runner,
    ...manifestFlags,
    ...applyFlags,
    delete: { summary: "Show what svc manifest delete would delete." },
    "detailed-exitcode": detailedExitcode,
  },
  examples: [
    {
      does: "Show what would change.",
      run: "svc manifest diff examples/manifest-hello --runner run_… -n shop",
    },
    {
      does: "Check in a script: exits 7 on changes.",
      run: "kustomize build . | svc manifest diff - --runner run_… --detailed-exitcode",
    },
  ],
  run: async (at) => {
    const { flags, screen } = at;
    const paths = pathsOf(at);
    requirePaths(paths, flags, flags.delete);
    requireOneInput([...paths, flags.login], { isAsked: false, by: "" });
    const isTeardown = flags.delete;
    const runnerId = await at.runnerOf(flags.runner);
    const made = await planManifests(at, { runner: runnerId, isTeardown, paths, flags });
    return endPlan(screen, made, { isDetailed: flags["detailed-exitcode"] });
  },
});

const applyManifest = defineCommand({
  name: "manifest apply",
  summary: "Apply Kubernetes manifests: show the diff, ask, and apply exactly that.",
  details: `${sent} They are applied server-side, and the command waits until everything is ready. With --job it applies what svc manifest diff showed. ${clusterWords}`,
  ...followed,
  args,
  flags: {
    runner,
    ...manifestFlags,
    ...applyFlags,
    job: plannedJob,
    "auto-approve": autoApprove,
  },
  examples: [
    {
      does: "Apply an example that needs no image.",
      run: "svc manifest apply examples/manifest-hello --runner run_…",
    },
    {
      does: "Apply a folder and delete what is no longer in it.",
      run: "svc manifest apply k8s --name shop --prune --runner run_… --context prod -n shop",
    },
    { does: "Apply an earlier diff.", run: "svc manifest apply --job job_… --auto-approve" },
  ],
  run: async (at) => await change(at, { verb: "apply", by: "svc manifest diff" }),
});

const deleteManifest = defineCommand({
  name: "manifest delete",
  summary: "Show what is deleted of Kubernetes manifests, ask, and do it.",
  details: `Deletes what the manifests contain and svc has applied under the same --name, and everything else applied under that name; with a name, no path is needed. With --job it does what svc manifest diff --delete showed. ${clusterWords}`,
  ...followed,
  args,
  flags: { runner, ...manifestFlags, job: plannedJob, "auto-approve": autoApprove },
  examples: [
    {
      does: "Delete what a folder contains.",
      run: "svc manifest delete examples/manifest-hello --runner run_…",
    },
    {
      does: "Delete everything that was applied under a name.",
      run: "svc manifest delete --name shop --runner run_… -n shop",
    },
  ],
  run: async (at) => await change(at, { verb: "delete", by: "svc manifest diff --delete" }),
});

type Flags = Parameters<typeof planManifests>[1]["flags"] & {
  readonly filename: readonly string[];
  readonly job: string | undefined;
  readonly runner: string | undefined;
  readonly "auto-approve": boolean;
};
type At = Parameters<typeof planManifests>[0] &
  Pick<CommandCall, "runnerOf"> & {
    readonly args: { readonly path: readonly string[] };
    readonly flags: Flags;
  };

async function change(
  at: At,
  { verb, by }: { readonly verb: "apply" | "delete"; readonly by: string },
): Promise<number> {
  const { flags } = at;
  const paths = pathsOf(at);
  const isTeardown = verb === "delete";
  return await planAndApply(at, manifestKind, {
    verb,
    flags,
    isNamed: hasPaths(paths, flags, isTeardown),
    needed: isTeardown ? "paths, or a --name" : "paths",
    plan: async (runner) => {
      const isAsked = !flags["auto-approve"];
      requireOneInput([...paths, flags.login], { isAsked, by });
      return await planManifests(at, { runner, isTeardown, paths, flags });
    },
    question: isTeardown ? "Delete all of this?" : "Apply exactly this?",
    nothing: isTeardown ? "There is nothing to delete." : "There is nothing to apply.",
  });
}

function pathsOf({
  args: { path },
  flags: { filename },
}: {
  readonly args: At["args"];
  readonly flags: Pick<Flags, "filename">;
}): string[] {
  return [...path, ...filename];
}

type Named = Pick<Flags, "kustomize" | "name">;

function hasPaths(paths: readonly string[], flags: Named, isTeardown: boolean): boolean {
  const { kustomize, name } = flags;
  return paths.length > 0 || kustomize !== undefined || (isTeardown && name !== undefined);
}

function requirePaths(paths: readonly string[], flags: Named, isTeardown: boolean): void {
  if (hasPaths(paths, flags, isTeardown)) return;
  throw new UsageError("PATH is missing: name a file, a folder or -, or a kustomization with -k.");
}

/** The commands of manifests, in the order of help. */
export const manifestCommands: readonly Command[] = [diffManifest, applyManifest, deleteManifest];
