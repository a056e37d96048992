import type { Db } from "../../broker/database/connect.ts";
import { givenDeploy } from "../support/deploys/given-deploy.ts";
import { givenInstallOf } from "../support/deploys/given-deploys.ts";
import type { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

type Org = Awaited<ReturnType<Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"]>>;
type Made = <Body = { id: string }>(what: string, body?: unknown) => Promise<Body>;

/** An install with components and a sandbox that are deployed, and another of which nothing is, by the names that their paths have. */
export async function givenDeployed(db: Db, { orgId, api }: Org, made: Made) {
  const { id: appId } = await made("POST /v1/apps", { name: "deployed" });
  const sync = (document: object) =>
    api<{ id: string }>(`POST /v1/apps/${appId}/configs/sync`, {
      ...document,
      "metadata.toml": { name: "deployed" },
    });
  await sync({});
  const { of, ids, build, installId, otherId } = await givenInstallOf({
    db,
    orgId,
    api,
    appId,
    sync,
  });
  const buildId = await build("db");
  const drifted = { component: "db", buildId, hasDrift: true };
  const { id: deploy_id } = await givenDeploy(db, of, drifted);
  await givenDeploy(db, of, { component: "web", status: "error" });
  await givenDeploy(db, of, { status: "error" });
  const { id: sandbox_run_id } = await givenDeploy(db, of, { hasDrift: true });
  await db`update installs set lifecycle_phase = 'active' where id = any(${[installId, otherId]})`;
  await db`select keep_install_components(${orgId}, ${otherId}, ${of.configId})`;
  const same = { app_id: appId, component_id: ids["db"] ?? "", build_id: buildId };
  return {
    ids: { ...same, install_id: installId, deploy_id, sandbox_run_id },
    others: { ...same, install_id: otherId },
    toggled: { ...same, install_id: installId, component_id: ids["extra"] ?? "" },
  };
}
