import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import { type EndedJob, givenRunnerWithAgent, type RunnerWithAgent } from "../agent/given-jobs.ts";
import type { Fleet } from "../broker/given-fleet.ts";
import type { Registry } from "../sources/start-registry.ts";

type Plan = Readonly<Record<string, unknown>>;

export type Builds = {
  /** A build into the repository of these builds. */
  readonly draft: (type: RunnerJobType, plan: Plan) => Partial<NewJob>;
  readonly build: (type: RunnerJobType, plan: Plan) => Promise<EndedJob>;
  /** What a deploy's plan says of the artifact of a build. */
  readonly placeOf: (built: EndedJob) => Plan;
  /** The manifest under a tag or digest; undefined when nothing is there. */
  readonly manifest: (reference: string) => Promise<ArtifactManifest | undefined>;
  /** What is attached to the artifact of a build, as its registry keeps the list. */
  readonly statementFor: (built: EndedJob) => Promise<Statement>;
};

export type ArtifactManifest = {
  readonly artifactType?: string;
  readonly config: { readonly mediaType: string; readonly digest: string };
  readonly layers: readonly { readonly mediaType: string; readonly digest: string }[];
  readonly manifests?: readonly { readonly digest: string }[];
};

export type Statement = {
  readonly subject: readonly { readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: {
    readonly buildDefinition: {
      readonly resolvedDependencies: readonly { readonly digest: object }[];
      readonly internalParameters: object;
    };
  };
};

const repository = "acme/part";

/** A runner with an agent that builds into a repository of a registry. */
export async function givenBuilds(
  fleet: Fleet,
  registry: Registry,
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<RunnerWithAgent & Builds> {
  const all = { "allow-file-sources": "yes", ...settings };
  const runner = await givenRunnerWithAgent(fleet, all, env);
  return { ...runner, ...buildsOf(runner, registry.host) };
}

/** The same for an existing runner. */
export function buildsOf(runner: Pick<RunnerWithAgent, "run">, host: string): Builds {
  const dst_registry = { loginServer: host, repository, registryType: "public_oci" };
  const draft: Builds["draft"] = (type, plan) => ({
    type,
    operation: "build",
    plan: JSON.stringify({
      component_id: "cmp_1",
      component_build_id: "bld_1",
      dst_registry,
      dst_tag: "b1",
      ...plan,
    }),
  });
  const base = `http://${host}/v2/${repository}`;
  const manifest: Builds["manifest"] = async (reference) => {
    const accept =
      "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json";
    const answer = await fetch(`${base}/manifests/${reference}`, { headers: { accept } });
    if (answer.status === 404) return undefined;
    return (await answer.json()) as ArtifactManifest;
  };
  return {
    draft,
    manifest,
    build: async (type, plan) => await runner.run(draft(type, plan)),
    placeOf: ({ outputs }) => ({
      src_registry: { loginServer: host, repository },
      src_tag: outputs["tag"],
      src_digest: outputs["digest"],
    }),
    statementFor: async ({ outputs }) => {
      const list = await manifest(String(outputs["digest"]).replace(":", "-"));
      const told = await manifest(list?.manifests?.[0]?.digest ?? "");
      const answer = await fetch(`${base}/blobs/${told?.layers[0]?.digest}`);
      return (await answer.json()) as Statement;
    },
  };
}
