import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { CommandCall } from "../command.ts";
import { readInput } from "../connection/connection.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { readOwnCluster } from "../kubernetes/own-kubeconfig.ts";
import { plannedDiff } from "../kubernetes/planned-diff.ts";
import type { Screen } from "../output/screen.ts";
import { makePlan } from "../plans/make-plan.ts";
import { isAddress, namedSource, readLogin } from "../plans/named-source.ts";
import { type MadePlan, type PlanKind, showOutputs } from "../plans/plan-kind.ts";
import { gatherFiles } from "./gather-files.ts";
import { gatherKustomization } from "./gather-kustomization.ts";

export type ManifestAsk = {
  readonly runner: string;
  readonly isTeardown: boolean;
  readonly paths: readonly string[];
  readonly flags: ManifestFlags;
};
type ManifestFlags = {
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly timeout: string | undefined;
  readonly kustomize: string | undefined;
  readonly recursive: boolean;
  readonly login: string | undefined;
  readonly "plain-http": boolean;
  readonly "enable-helm": boolean;
  readonly "load-restrictor": string | undefined;
  readonly "delete-kind": readonly string[];
  readonly prune?: boolean;
  readonly "force-conflicts"?: boolean;
  readonly "no-wait"?: boolean;
};

type At = Pick<CommandCall, "call" | "connect" | "screen" | "config">;

/** Plans of manifests, as people have them made and applied. */
export const manifestKind: PlanKind = {
  noun: "manifest",
  type: "kubernetes-manifest-deploy",
  ownerType: "svc-manifest",
  plansBy: "svc manifest diff",
  appliesBy: { "create-apply-plan": "apply", "create-teardown-plan": "delete" },
  readPlanned: plannedDiff,
  showOutputs: showCounts,
};

/** Has an apply of manifests planned, or their deletion, and shows the diff. */
export async function planManifests(at: At, asked: ManifestAsk): Promise<MadePlan> {
  const { runner: runnerId, isTeardown, paths, flags } = asked;
  const { name, namespace, prune } = flags;
  if (prune === true && name === undefined) {
    throw new UsageError("--prune needs --name: what was applied before is remembered by a name.");
  }
  if (name !== undefined) requireName(name);
  const cluster = await readOwnCluster(flags, at.config);
  const timeout = readDurationNs("--timeout", flags.timeout);
  const kubernetes_manifest = {
    ...(cluster.info && { cluster_info: cluster.info }),
    ...(namespace !== undefined && { namespace }),
    ...(await manifestMembers(paths, flags)),
    ...(name !== undefined && { inventory: name }),
    prune: prune ?? false,
    ...(flags["force-conflicts"] === true && { force_conflicts: true }),
    ...(flags["delete-kind"].length > 0 && { delete_kinds: flags["delete-kind"] }),
    ...(flags["no-wait"] === true && { wait: false }),
    ...(timeout !== undefined && { timeout }),
  };
  return await makePlan(at, manifestKind, {
    runnerId,
    operation: isTeardown ? "create-teardown-plan" : "create-apply-plan",
    ownerId: (name ?? [...paths, flags.kustomize ?? ""].join(" ").trim()).slice(0, 200),
    planText: JSON.stringify({ kubernetes_manifest }),
    told: name === undefined ? {} : { name },
  });
}

function showCounts(screen: Screen, outputs: Readonly<Record<string, unknown>>): void {
  const told = Object.entries(outputs).filter(([, value]) => value !== 0);
  showOutputs(screen, Object.fromEntries(told));
}

/** It stands in the cluster, as what manages the fields that are set. */
function requireName(name: string): void {
  if (/^[\w.:/-]{1,100}$/.test(name)) return;
  throw new UsageError("--name may have letters, digits and . _ : / -, 100 of them at most.");
}

async function manifestMembers(paths: readonly string[], flags: ManifestFlags): Promise<object> {
  const { kustomize, login } = flags;
  const [first = ""] = paths;
  if (kustomize !== undefined) {
    if (paths.length > 0) throw new UsageError("-k goes with no other path.");
    return await kustomized(kustomize, flags);
  }
  if (paths.length === 0) return {};
  if (paths.includes("-") || paths.some(isAddress)) {
    if (paths.length > 1)
      throw new UsageError(`${first} and others: - or an address stands alone.`);
    if (first === "-") return { manifest: await manifestFromInput() };
    const isPlain = flags["plain-http"];
    return { source: namedSource(first, { isPlain, login: await readLogin(login) }) };
  }
  return await gatherFiles(paths, { isRecursive: flags.recursive });
}

async function manifestFromInput(): Promise<string> {
  const manifest = await readInput("-");
  if (manifest.trim() === "") throw new UsageError("Standard input holds no manifest.");
  return manifest;
}

const restrictors: Readonly<Record<string, string>> = {
  LoadRestrictionsRootOnly: "rootOnly",
  LoadRestrictionsNone: "none",
};

async function kustomized(given: string, flags: ManifestFlags): Promise<object> {
  const how = {
    ...(flags["enable-helm"] && { enable_helm: true }),
    ...(flags["load-restrictor"] && { load_restrictor: restrictors[flags["load-restrictor"]] }),
  };
  if (isAddress(given)) {
    const more = { isPlain: flags["plain-http"], login: await readLogin(flags.login) };
    return { source: namedSource(given, more), kustomize: how };
  }
  const loadsAnywhere = how.load_restrictor === "none";
  const { source, path } = await gatherKustomization(given, { loadsAnywhere });
  return { source, kustomize: { path, ...how } };
}
