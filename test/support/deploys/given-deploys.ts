import type { ShownComponent } from "../../../shared/api/components.ts";
import type { Install } from "../../../shared/api/install.ts";
import { givenBuild } from "../builds/given-build.ts";
import type { givenWorkflowsApi } from "../workflows/workflows-api.ts";
import { givenTargets } from "./given-deploy.ts";

const repo = { repo: "https://git.example.com/shop.git", directory: "modules/db", branch: "main" };

/** An app with a sandbox, a module, a chart that refers to it, an image, and one that may be left out. */
export const deployedConfig = {
  "metadata.toml": { name: "shop" },
  "sandbox.toml": { terraform_version: "1.9.0", public_repo: { ...repo, directory: "sandbox" } },
  components: {
    "db.toml": {
      name: "db",
      type: "terraform_module",
      terraform_version: "1.9.0",
      labels: { tier: "data" },
      public_repo: repo,
    },
    "web.toml": {
      name: "web",
      type: "helm_chart",
      chart_name: "web",
      dependencies: ["db"],
      helm_repo: { repo_url: "https://charts.example.com", chart: "web", version: "1.2.3" },
    },
    "cache.toml": {
      name: "cache",
      type: "container_image",
      public: { image_url: "redis", tag: "7" },
    },
    "extra.toml": {
      name: "extra",
      type: "terraform_module",
      terraform_version: "1.9.0",
      toggleable: true,
      public_repo: repo,
    },
  },
};

type Setup = Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"];

/** An org with the app and an install of it that was not begun, with builds of its components by their names. */
export async function givenDeployable(setup: Setup) {
  const org = await setup({ "metadata.toml": deployedConfig["metadata.toml"] });
  return { ...org, ...(await givenInstallOf(org)) };
}

type Org = Pick<Awaited<ReturnType<Setup>>, "db" | "orgId" | "api" | "appId" | "sync">;

/** Two installs of an app without components, which then has them all. */
export async function givenInstallOf({ db, orgId, api, appId, sync }: Org) {
  const install = async (name: string): Promise<string> => {
    const wanted = { name, start: false };
    const made = await api<Install>(`POST /v1/apps/${appId}/installs`, wanted);
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return made.body.id;
  };
  const installId = await install("acme");
  const otherId = await install("other"); // of which nothing is deployed
  const synced = await sync(deployedConfig);
  if (synced.status !== 201) throw new Error(JSON.stringify(synced.body));
  const of = { orgId, installId, configId: synced.body.id };
  await givenTargets(db, of);
  const components = await api<ShownComponent[]>(`GET /v1/apps/${appId}/components`);
  const ids = Object.fromEntries(components.body.map(({ name, id }) => [name, id]));
  const build = (name: string, status: "active" | "error" = "active") =>
    givenBuild(db, { orgId, appId, configId: of.configId, componentId: ids[name] ?? "" }, status);
  return { installId, otherId, ids, build, at: `/v1/installs/${installId}`, of };
}
