import { problem } from "../../shared/problem.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import { beginWorkflow } from "../installs/begin-workflow.ts";
import { requireInstall } from "../installs/keep-installs.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import type { NewDeploy } from "../workflows/draft-workflow.ts";
import { imageTypes } from "./deploy-part.ts";
import { isEnabled } from "./is-enabled.ts";
import { configIdOf } from "./show-install-components.ts";
import { findDeployable, findTarget, keepTargets, type ShownTargetRow } from "./target-queries.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Who = Pick<Actor, "id" | "orgId" | "requestSeed">;
type Wanted = {
  readonly installId: string;
  /** That of the build unless given. */
  readonly componentId: string | undefined;
  readonly buildId: string | undefined;
  readonly isRecovery: boolean;
  readonly dependents: boolean;
  readonly dependencies: boolean;
  readonly role: string;
  readonly planOnly: boolean;
};
export type BegunDeploy = { readonly deploy: NewDeploy; readonly workflowId: string };

/** Begins a deploy of a component by the config of its install, or by a build; refuses what is not part of the install, or not built. */
export async function deployComponent(
  parts: Parts,
  actor: Who,
  wanted: Wanted,
): Promise<BegunDeploy> {
  const { installId, buildId, role, planOnly } = wanted;
  const target = await requireDeployable(parts.db, actor.orgId, wanted);
  const { component_id: componentId, name, part_type: componentType } = target;
  const component = { component_id: componentId ?? "", component_name: name };
  const deploy: NewDeploy = {
    id: keyedId("dep", actor.requestSeed, installId),
    target_id: target.id,
    ...component,
    component_type: componentType ?? "",
    type: typeOf(componentType, wanted.isRecovery),
    build_id: buildId ?? null,
    plan_only: planOnly,
    role,
  };
  const workflowId = await beginWorkflow(parts, actor, {
    installId,
    workflow: {
      type: "manual_deploy",
      role,
      planOnly,
      params: {
        ...component,
        deploy_id: deploy.id,
        ...(buildId !== undefined && { build_id: buildId }),
        ...(wanted.dependents && { deploy_dependents: true }),
        ...(wanted.dependencies && { deploy_dependencies: true }),
        ...(wanted.isRecovery && { recover: true }),
      },
      metadata: component,
      installDeploy: deploy,
    },
  });
  return { deploy, workflowId };
}

/** Images are not applied, but copied to where the install has them. */
function typeOf(componentType: string | null, isRecovery: boolean): NewDeploy["type"] {
  if (componentType !== null && imageTypes.includes(componentType)) return "sync-image";
  return isRecovery ? "recover" : "apply";
}

async function requireDeployable(db: Db, org: OrgId, wanted: Wanted): Promise<ShownTargetRow> {
  const { installId, buildId } = wanted;
  const install = await requireInstall(db, org, installId);
  const configId = configIdOf(install);
  if (configId === null)
    throw problem.conflict("no_active_config", "The app has no active config. Sync one first.");
  const built =
    buildId === undefined
      ? undefined
      : await requireBuild(db, org, { app: install.app_id, buildId, of: wanted.componentId });
  const componentId = wanted.componentId ?? built ?? "";
  await keepTargets(db, org, { installId, configId });
  const target = await findTarget(db, org, { installId, configId, componentId });
  if (target === undefined || target.part_type === null)
    throw problem.notFound("component", "The install's config has no such component.");
  const document = await readDocument(db, org, configId);
  if (isEnabled(document, install.config?.component_toggles, target.name) === false)
    throw problem.conflict(
      "component_disabled",
      `The install is without ${target.name}: switch it on with svc install toggle.`,
    );
  return target;
}

/** The component that the build is of. */
async function requireBuild(
  db: Db,
  org: OrgId,
  {
    app,
    buildId,
    of,
  }: { readonly app: string; readonly buildId: string; readonly of?: string | undefined },
): Promise<string> {
  const build = await findDeployable(db, org, { app, id: buildId });
  const componentId = build?.component_id ?? null;
  const isOther = of !== undefined && componentId !== of;
  if (build === undefined || componentId === null || isOther) {
    const detail =
      isOther && build !== undefined
        ? "This is a build of another component."
        : "The app has no build of a component of this id.";
    throw problem.invalid([{ pointer: "#/build_id", code: "unknown_build", detail }]);
  }
  if (build.status !== "active")
    throw problem.conflict(
      "build_not_active",
      `The build is ${build.status}: only an active one can be deployed.`,
    );
  return componentId;
}
