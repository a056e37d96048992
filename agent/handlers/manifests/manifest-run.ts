import { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { type Credentials, readCredentials } from "../../credentials/read-credentials.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { type Approved, readApproved } from "../../kubernetes/approved.ts";
import { type PullSecret, readPullSecret } from "../../kubernetes/pull-secret.ts";
import { readSource } from "../../sources/read-source.ts";
import type { Source } from "../../sources/source.ts";
import { type PlanState, readPlanState } from "../../templates/render-texts.ts";

const text = z.string().nullish();
const flag = z.boolean().nullish();
const deletable = ["Namespace", "CustomResourceDefinition", "PersistentVolumeClaim"] as const;

const kustomize = z
  .looseObject({
    path: text,
    enable_helm: flag,
    load_restrictor: z.enum(["none", "rootOnly", ""]).nullish(),
    patches: z.array(z.string()).nullish(),
  })
  .nullish();
export type Kustomize = NonNullable<z.infer<typeof kustomize>>;

const body = z.looseObject({
  namespace: text,
  manifest: text,
  files: z.array(z.string()).nullish(),
  kustomize,
  force_conflicts: flag,
  prune: flag,
  delete_kinds: z.array(z.enum(deletable)).nullish(),
  inventory: text,
  wait: flag,
  timeout: z.number().nullish(),
});
const whole = z.looseObject({
  install_id: text,
  component_id: text,
  apply_plan_contents: text,
  timeout: z.number().nullish(),
  kubernetes_manifest: body,
});

/** A validated manifest job, with its defaults. */
export type ManifestRun = {
  readonly action: "plan" | "plan-teardown" | "apply" | "exec";
  /** The namespace of objects that name none; empty means the kubeconfig's. */
  readonly namespace: string;
  readonly manifest: string;
  readonly source: Source | undefined;
  /** What templates of the source are rendered with. */
  readonly known: PlanState | undefined;
  readonly files: readonly string[];
  readonly kustomize: Kustomize | undefined;
  /** Take over fields that others manage. */
  readonly isForced: boolean;
  readonly prunes: boolean;
  /** Kinds whose deletion deletes more than the object itself, and that may be deleted nevertheless. */
  readonly deleteKinds: readonly string[];
  /** Identifies the deploy's objects across deploys; empty: nothing is recorded. */
  readonly inventoryId: string;
  readonly waits: boolean;
  readonly waitMs: number;
  /** Written before what pulls by it. */
  readonly pullSecret: PullSecret | undefined;
  readonly timeoutMs: number | undefined;
  readonly approved: Approved | undefined;
  readonly credentials: Credentials;
};

const usualWaitMs = 600_000;

/** Reads the plan of a manifest job. Throws a JobFailure that names the invalid member. */
export function readManifestRun(plan: Plan, { operation }: JobInfo): ManifestRun {
  const { data, error } = whole.safeParse(plan);
  if (data === undefined) {
    throw invalidPlan(firstFault(error));
  }
  const { kubernetes_manifest: inner, install_id, component_id } = data;
  const action = actions[operation];
  if (action === undefined) {
    const all = Object.keys(actions).join(", ");
    throw invalidPlan(`manifests have no operation ${operation}: use one of ${all}`);
  }
  const manifest = inner.manifest ?? "";
  const source = readSource(inner) ?? (manifest.trim() === "" ? readSource(plan) : undefined);
  const own = [install_id, component_id].filter(Boolean).join("/");
  const approved = action === "apply" ? readApproved(data.apply_plan_contents) : undefined;
  // A teardown needs no manifest: the inventory may name all objects.
  const isTeardown = action === "plan-teardown" || approved?.op === "teardown";
  if (manifest.trim() === "" && source === undefined && !isTeardown) {
    throw invalidPlan(
      "the manifest is missing: set kubernetes_manifest.manifest, .source or .oci_artifact",
    );
  }
  return {
    action,
    namespace: inner.namespace ?? "",
    manifest,
    source,
    known: readPlanState(inner, plan),
    files: inner.files ?? [],
    kustomize: inner.kustomize ?? undefined,
    isForced: inner.force_conflicts ?? false,
    prunes: inner.prune ?? true,
    deleteKinds: inner.delete_kinds ?? [],
    inventoryId: inner.inventory || own,
    waits: inner.wait ?? true,
    waitMs: millis(inner.timeout) ?? usualWaitMs,
    pullSecret: readPullSecret(plan),
    timeoutMs: millis(data.timeout),
    approved,
    credentials: readCredentials({ ...plan, ...inner }),
  };
}

const actions: Readonly<Record<string, ManifestRun["action"]>> = {
  "create-apply-plan": "plan",
  "create-teardown-plan": "plan-teardown",
  "apply-plan": "apply",
  exec: "exec",
};

const millis = (ns: number | null | undefined): number | undefined =>
  ns == null || ns <= 0 ? undefined : ns / 1e6;
