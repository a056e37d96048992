import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { ShownComponent } from "../../../shared/api/components.ts";
import { until } from "../broker/given-polling.ts";
import type { givenWorkflowsApi } from "../workflows/workflows-api.ts";
import { type BuildEnd, type BuildPlan, digestOf, givenBuilder } from "./given-builder.ts";

/** Where the sources of its components are. */
export const shopRepo = {
  repo: "https://git.example.com/shop.git",
  directory: "modules/db",
  branch: "main",
};
/** An app with a module, a chart and an image. */
export const shopConfig = {
  "metadata.toml": { name: "shop" },
  components: {
    "db.toml": {
      name: "db",
      type: "terraform_module",
      terraform_version: "1.9.0",
      public_repo: shopRepo,
    },
    "web.toml": {
      name: "web",
      type: "helm_chart",
      chart_name: "web",
      helm_repo: { repo_url: "https://charts.example.com", chart: "web", version: "1.2.3" },
      values: { replicas: 2 },
    },
    "cache.toml": {
      name: "cache",
      type: "container_image",
      public: { image_url: "redis", tag: "7" },
    },
  },
};

type Setup = Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"];

/** An org with the app, and a runner of its own that ends jobs of builds as it is told. */
export async function givenShopOf(
  setup: Setup,
  ends: (plan: BuildPlan, type: string) => BuildEnd = built,
  config: Parameters<Setup>[0] = shopConfig,
) {
  const org = await setup(config);
  const builder = await givenBuilder(org, ends);
  const { api, appId } = org;
  const components = await api<ShownComponent[]>(`GET /v1/apps/${appId}/components`);
  const ids = Object.fromEntries(components.body.map(({ name, id }) => [name, id]));
  const at = (name: string) => `/v1/apps/${appId}/components/${ids[name] ?? ""}/builds`;
  const build = async (name: string, body: object = {}) =>
    await api<ComponentBuild>(`POST ${at(name)}`, body);
  async function ended(id: string, ...statuses: string[]): Promise<ComponentBuild> {
    let seen: ComponentBuild | undefined;
    await until(async () => {
      seen = (await api<ComponentBuild>(`GET /v1/builds/${id}`)).body;
      return statuses.includes(seen.status);
    });
    return seen as ComponentBuild; // it was seen
  }
  return { ...org, builder, ids, at, build, ended };
}

/** A job that has made something. */
export const built = ({ component_build_id: id }: BuildPlan): BuildEnd => ({
  outputs: {
    digest: digestOf("a"),
    media_type: "application/vnd.oci.image.manifest.v1+json",
    size: 1234,
    source_ref: "0123456789012345678901234567890123456789",
    source_checksum: `sum of ${id}`,
    builder: "test/1",
  },
});
