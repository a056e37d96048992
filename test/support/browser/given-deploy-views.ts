import type { Install } from "../../../shared/api/install.ts";
import { givenBuild } from "../builds/given-build.ts";
import { givenDeploy } from "../deploys/given-deploy.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import { hostile, type View } from "./view.ts";

type Made = { readonly id: string };

/** A component that is deployed in an install and has drifted, one deploy that failed, runs of its sandbox, and where pages show them. */
export async function givenDeployViews(
  { call, db, orgId }: GivenDashboard,
  { id: installId, app_id: appId }: Install,
): Promise<View[]> {
  const component = await call<Made>(`POST /v1/apps/${appId}/components`, {
    body: { name: "api" },
  });
  const config = await call<Made>(`POST /v1/apps/${appId}/configs`, { body: {} });
  const [componentId, configId] = [component.body.id, config.body.id];
  const buildId = await givenBuild(db, { orgId, appId, configId, componentId });
  const of = { orgId, installId, configId };
  const good = await givenDeploy(db, of, { component: "api", buildId });
  const bad = await givenDeploy(db, of, { component: "api", status: "error", hasDrift: true });
  const run = await givenDeploy(db, of, { status: "cancelled" });
  await db`update install_deploys set status_description = ${hostile}, role = ${hostile} where install_id = ${installId}`;
  const at = `/installs/${installId}`;
  const page = "/installs/{install_id}";
  const path = `${page}/deploys/{deploy_id}`;
  return [
    { path: page, address: at, has: "Components and what is deployed of them" },
    { path: page, address: at, has: "Runs of the sandbox, the newest first" },
    { path: page, address: `${at}/components/${componentId}/deploy`, has: "Deploy api" },
    { path: page, address: `${at}/components/${componentId}/teardown`, has: "to confirm" },
    { path, address: `${at}/deploys/${good.id}`, has: "Deploy it again" },
    { path, address: `${at}/deploys/${bad.id}`, has: "The provider refused it." },
    {
      path: `${page}/sandbox-runs/{sandbox_run_id}`,
      address: `${at}/sandbox-runs/${run.id}`,
      has: "Run of the sandbox",
    },
  ];
}
