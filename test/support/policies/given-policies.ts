import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { ShownComponent } from "../../../shared/api/components.ts";
import type { PolicyReport } from "../../../shared/api/policy-reports.ts";
import { until } from "../broker/given-polling.ts";
import { type BuildEnd, digestOf, givenBuilder } from "../builds/given-builder.ts";
import type { givenWorkflowsApi } from "../workflows/workflows-api.ts";

type Setup = Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"];

const image = (name: string) => ({
  name,
  type: "container_image",
  public: { image_url: "docker.io/library/redis", tag: "7" },
});
/** A policy of images. */
export const policy = (name: string, rules: string, more: object = {}) => ({
  name,
  type: "container_image",
  contents: `package svc\n${rules}\n`,
  ...more,
});
/** A config of two images with policies. */
export const configOf = (...policies: readonly object[]) => ({
  "metadata.toml": { name: "shop" },
  components: { "cache.toml": image("cache"), "other.toml": image("other") },
  "policies.toml": { policy: policies },
});

/** How the job of an image ends. */
export const made = (more: object = {}): BuildEnd => ({
  outputs: {
    digest: digestOf("a"),
    source_image: "docker.io/library/redis",
    resolved_tag: "7",
    metadata: { signed: false, sbom: true, attestations: ["https://slsa.dev/provenance/v1"] },
    ...more,
  },
});

/** An org with that config, whose builds end so. */
export async function givenPolicies(
  setup: Setup,
  config: object,
  ends: () => BuildEnd = () => made(),
) {
  const org = await setup(config);
  const builder = await givenBuilder(org, ends);
  const { api, appId } = org;
  const components = await api<ShownComponent[]>(`GET /v1/apps/${appId}/components`);
  const idOf = (name: string) => components.body.find((one) => one.name === name)?.id ?? "";
  async function build(name: string, ...statuses: string[]): Promise<ComponentBuild> {
    const at = `/v1/apps/${appId}/components/${idOf(name)}/builds`;
    const { id } = (await api<ComponentBuild>(`POST ${at}`, {})).body;
    return await ended(id, ...statuses);
  }
  async function ended(id: string, ...statuses: string[]): Promise<ComponentBuild> {
    let seen: ComponentBuild | undefined;
    await until(async () => {
      seen = (await api<ComponentBuild>(`GET /v1/builds/${id}`)).body;
      return statuses.includes(seen.status);
    });
    return seen as ComponentBuild; // it was seen
  }
  const reports = async (query: string) =>
    (await api<PolicyReport[]>(`GET /v1/policy-reports?${query}`)).body;
  return { ...org, builder, idOf, build, ended, reports };
}

/** It denies an image that is not signed, of the component cache. */
export const unsigned = policy(
  "signed",
  'deny contains msg if { not input.metadata.signed; msg := sprintf("%s:%s is not signed", [input.image, input.tag]) }',
  { components: ["cache"] },
);
