import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { RunnerJobOperation } from "../../../shared/runner-job-types.ts";
import { type EndedJob, givenRunnerWithAgent, type RunnerWithAgent } from "../agent/given-jobs.ts";
import type { Fleet } from "../broker/given-fleet.ts";
import { givenNamespace, type Namespace } from "../cluster/given-namespace.ts";

type Deploying = {
  readonly at: Namespace;
  /** Runs one operation of a manifest job with these members of its plan. */
  readonly deploy: (
    operation: RunnerJobOperation,
    manifest: object,
    more?: object,
  ) => Promise<EndedJob>;
  readonly draft: (
    operation: RunnerJobOperation,
    manifest: object,
    more?: object,
  ) => Partial<NewJob>;
  /** The names of the objects of a kind in the namespace, but what clusters make by themselves. */
  readonly names: (kind: string) => Promise<string[]>;
};

export type Deploys = RunnerWithAgent & Deploying;

/** A runner whose jobs deploy manifests into a namespace of their own; the inventory is the namespace's. */
export async function givenManifests(
  fleet: Fleet,
  settings: Readonly<Record<string, string>> = {},
): Promise<Deploys> {
  return await deploysOf(await givenRunnerWithAgent(fleet, settings));
}

/** The same for an existing runner. */
export async function deploysOf<S extends Omit<RunnerWithAgent, "agent">>(
  runner: S,
): Promise<S & Deploying> {
  const at = await givenNamespace();
  const kube_config = await readFile(at.kubeconfig, "utf8");
  const draft: Deploys["draft"] = (operation, manifest, more = {}) => ({
    type: "kubernetes-manifest-deploy",
    operation,
    plan: JSON.stringify({
      install_id: "ins_1",
      component_id: at.name,
      kubernetes_manifest: { cluster_info: { kube_config }, namespace: at.name, ...manifest },
      ...more,
    }),
  });
  return {
    ...runner,
    at,
    draft,
    deploy: async (operation, manifest, more) => await runner.run(draft(operation, manifest, more)),
    names: async (kind) => {
      const listed = await at.kubectl(["get", kind, "-o", "name"]);
      const names = listed.split("\n").map((name) => name.split("/")[1] ?? "");
      return names.filter((name) => !/^$|^kube-root-ca|^svc-inventory|^default$/.test(name)).sort();
    },
  };
}

export type PlannedDiff = {
  readonly op: string;
  readonly plan: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly content_diff: readonly {
    readonly action: string;
    readonly ref: { readonly kind: string; readonly name: string };
    readonly changes: readonly { readonly path: string }[];
    readonly conflicts: readonly { readonly manager: string; readonly field: string }[];
    readonly words: string;
  }[];
};

/** What a job that plans brought: what it said, and the bytes that an apply gets back. */
export function plannedDiff({ result, description }: EndedJob): {
  readonly diff: PlannedDiff;
  readonly apply_plan_contents: string;
} {
  if (result?.success !== true) throw new Error(`the plan failed: ${description}`);
  const contents = result.contents_gzip ?? "";
  return {
    diff: JSON.parse(gunzipSync(Buffer.from(contents, "base64")).toString()) as PlannedDiff,
    apply_plan_contents: contents,
  };
}

/** A ConfigMap as a document of a manifest. */
export const configMap = (name: string, data: object): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

/** A Deployment of one pod as a document of a manifest. */
export const deployment = (name: string, podSpec: object = {}, spec: object = {}): string => {
  const labels = { app: name };
  const containers = [{ name: "main", image: "registry.example/app:1" }];
  const template = { metadata: { labels }, spec: { containers, ...podSpec } };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: labels }, template, ...spec },
  });
};

/** Documents as one manifest. */
export const manifestOf = (...documents: readonly string[]): string => documents.join("\n---\n");
