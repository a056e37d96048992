import { documentOf } from "../apps/given-app.ts";
import { givenReport } from "../policies/given-report.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import { hostile, type View } from "./view.ts";

type Made = { readonly id: string };

const repo = { public_repo: { repo: "a/b", directory: "." } };
const again = [{ name: hostile.slice(0, 40), type: "action", command: "true" }];
const parts = {
  components: {
    "web.toml": { name: "web", type: "helm_chart", chart_name: "web", ...repo },
  },
  runbooks: { "again.toml": { name: "again", description: hostile, steps: again } },
};

/** An app with two configs, one without any, and where pages show them. */
export async function givenAppViews({ call, db, orgId }: GivenDashboard): Promise<View[]> {
  const body = { name: "shop", display_name: hostile, description: hostile };
  const app = await call<Made>("POST /v1/apps", { body });
  const at = `/apps/${app.body.id}`;
  const sync = async (command: string) => {
    const body = { ...documentOf("shop", command), ...parts };
    return await call<Made>(`POST /v1${at}/configs/sync`, { body });
  };
  const first = await sync("echo one");
  await sync(`echo ${JSON.stringify(hostile)}`);
  const other = await call<Made>("POST /v1/apps", { body: { name: "other" } });
  const config = "/apps/{app_id}/configs/{app_config_id}";
  const components = await call<Made[]>(`GET /v1${at}/components`);
  const web = components.body[0]?.id ?? "";
  const built = await call<Made>(`POST /v1${at}/components/${web}/builds`, { body: {} });
  const ofReport = { orgId, appId: app.body.id, componentId: web, buildId: built.body.id };
  await givenReport(db, ofReport, hostile);
  return [
    { path: "/apps", address: "/apps", has: "shop", whenEmpty: "No apps yet" },
    { path: "/apps", address: "/apps?name=nothing", has: "No app fits these filters" },
    { path: "/apps/{app_id}", address: at, has: "What the active config changed" },
    { path: "/apps/{app_id}", address: at, has: "Runbooks of the active config" },
    { path: "/apps/{app_id}", address: `/apps/${other.body.id}`, has: "No config yet" },
    { path: "/apps/{app_id}", address: at, has: "Newest build" },
    {
      path: "/apps/{app_id}/builds/{build_id}",
      address: `${at}/builds/${built.body.id}`,
      has: "Build of web",
    },
    {
      path: "/apps/{app_id}/builds/{build_id}",
      address: `${at}/builds/${built.body.id}`,
      has: "Policies that were evaluated",
    },
    { path: config, address: `${at}/configs/${first.body.id}`, has: "outdated" },
  ];
}
