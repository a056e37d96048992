import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { problem } from "../../shared/problem.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { beginWorkflow } from "../installs/begin-workflow.ts";
import { requireInstall, workflowOpen } from "../installs/keep-installs.ts";
import type { ShownRow } from "../installs/to-install.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import { deployedDependents } from "./deployed-dependents.ts";
import { isEnabled } from "./is-enabled.ts";
import { configIdOf, requireTarget } from "./show-install-components.ts";
import { forgetTarget, keepTargets, listTargets } from "./target-queries.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Who = Pick<Actor, "id" | "orgId" | "requestSeed">;
type How = { readonly installId: string; readonly role: string; readonly planOnly: boolean };
type OfComponent = How & { readonly componentId: string; readonly isForced: boolean };

/** Begins to deploy all components of an install; answers the workflow's id. */
export async function deployComponents(parts: Parts, actor: Who, how: How): Promise<string> {
  const { installId, role, planOnly } = how;
  const { document } = await requireConfigured(parts.db, actor.orgId, installId);
  if ((document.components ?? []).length === 0)
    throw problem.conflict("no_components", "The install's config has no components.");
  const type = "deploy_components";
  return beginWorkflow(parts, actor, { installId, workflow: { type, role, planOnly } });
}

/** Begins to tear down all components of an install. */
export async function teardownComponents(parts: Parts, actor: Who, how: How): Promise<string> {
  const { installId, role, planOnly } = how;
  const { db } = parts;
  const install = await requireInstall(db, actor.orgId, installId);
  const all = await listTargets(db, actor.orgId, {
    installId,
    configId: configIdOf(install),
    filter: {},
  });
  if (
    all.every(
      ({ deployed_id: deployed, latest_id: latest }) => deployed === null && latest === null,
    )
  )
    throw problem.conflict(
      "no_components",
      "The install has no components that could be torn down.",
    );
  const type = "teardown_components";
  return beginWorkflow(parts, actor, { installId, workflow: { type, role, planOnly } });
}

/** Begins to tear down one; 409 while others need it that are deployed, unless it is forced. */
export async function teardownComponent(
  broker: Parts & Pick<Broker, "work">,
  asking: Asking,
  { installId, componentId, role, planOnly, isForced }: OfComponent,
): Promise<string> {
  const { withPermit, actor } = asking;
  const which = { installId, componentId };
  const { install, target } = await withPermit(() => requireTarget(broker.db, actor.orgId, which));
  const { name } = target;
  if (!isForced) await requireUnused(broker, asking, { install, name });
  return await withPermit(() =>
    beginWorkflow(broker, actor, {
      installId,
      workflow: {
        type: "teardown_component",
        role,
        planOnly,
        params: {
          component_id: componentId,
          component_name: name,
          ...(isForced && { force: true }),
        },
        metadata: { component_id: componentId, component_name: name },
      },
    }),
  );
}

/** Begins to deploy or to tear down a component that is switched on or off, which the install's config then says; 409 of one that every install has. */
export async function toggleComponent(
  broker: Parts & Pick<Broker, "work">,
  asking: Asking,
  {
    installId,
    componentId,
    role,
    planOnly,
    isForced,
    isOn,
  }: OfComponent & { readonly isOn: boolean },
): Promise<string> {
  const { withPermit, actor } = asking;
  const { install, name } = await withPermit(async () => {
    const { document, configId } = await requireConfigured(broker.db, actor.orgId, installId);
    await keepTargets(broker.db, actor.orgId, { installId, configId });
    const found = await requireTarget(broker.db, actor.orgId, { installId, componentId });
    requireToggleable(document, found.target.name);
    return { install: found.install, name: found.target.name };
  });
  if (!isOn && !isForced) await requireUnused(broker, asking, { install, name });
  const component = { component_id: componentId, component_name: name };
  return await withPermit(() =>
    beginWorkflow(broker, actor, {
      installId,
      workflow: {
        type: isOn ? "component_enabled" : "component_disabled",
        role,
        planOnly,
        params: { ...component, ...(isForced && { force: true }) },
        metadata: component,
      },
      ...(!planOnly && { toggle: { component: name, isOn } }),
    }),
  );
}

/** Takes a component as torn down, whatever is there of it; 409 while a workflow of the install is open. */
export async function forgetComponent(
  db: Db,
  org: OrgId,
  which: { readonly installId: string; readonly componentId: string },
): Promise<void> {
  await requireTarget(db, org, which);
  const outcome = await forgetTarget(db, org, which);
  if (outcome === "open") throw workflowOpen();
  if (outcome !== "forgotten") throw problem.notFound("component");
}

/** Begins to deprovision the sandbox of an install; 409 while components are deployed. */
export async function deprovisionSandbox(parts: Parts, actor: Who, how: How): Promise<string> {
  const { installId, role, planOnly } = how;
  const { install } = await requireSandbox(parts.db, actor.orgId, installId);
  const all = await listTargets(parts.db, actor.orgId, {
    installId,
    configId: configIdOf(install),
    filter: {},
  });
  const deployed = all
    .filter((row) => (row.deployed_id ?? row.touched_id) !== null)
    .map(({ name }) => name);
  if (deployed.length > 0)
    throw problem.conflict(
      "components_deployed",
      `Tear down what is deployed first: ${deployed.join(", ")}.`,
      { components: deployed },
    );
  const type = "deprovision_sandbox";
  return beginWorkflow(parts, actor, { installId, workflow: { type, role, planOnly } });
}

/** Begins to provision the sandbox of an install again, and then its components unless these are skipped. */
export async function reprovisionSandbox(
  parts: Parts,
  actor: Who,
  { installId, role, planOnly, skipsComponents }: How & { readonly skipsComponents: boolean },
): Promise<string> {
  await requireSandbox(parts.db, actor.orgId, installId);
  const type = "reprovision_sandbox";
  const params = skipsComponents ? { skip_components: true } : {};
  return beginWorkflow(parts, actor, { installId, workflow: { type, role, planOnly, params } });
}

type Configured = {
  readonly install: ShownRow;
  readonly configId: string;
  readonly document: AppConfigDocument;
};

async function requireConfigured(db: Db, org: OrgId, installId: string): Promise<Configured> {
  const install = await requireInstall(db, org, installId);
  const configId = configIdOf(install);
  const document = await readDocument(db, org, configId);
  if (configId === null || document === undefined)
    throw problem.conflict("no_active_config", "The app has no active config. Sync one first.");
  return { install, configId, document };
}

async function requireSandbox(db: Db, org: OrgId, installId: string): Promise<Configured> {
  const found = await requireConfigured(db, org, installId);
  if (found.install.lifecycle_phase === "created")
    throw problem.conflict("never_provisioned", "This install was never provisioned.");
  if (found.document.sandbox === undefined)
    throw problem.conflict("no_sandbox", "The install's config has no sandbox.");
  return found;
}

function requireToggleable(document: AppConfigDocument, name: string): void {
  if (isEnabled(document, {}, name) !== undefined) return;
  const isThere = document.components?.some((one) => nameKey(one.name) === nameKey(name));
  if (isThere !== true)
    throw problem.notFound("component", "The install's config has no such component.");
  throw problem.conflict(
    "not_toggleable",
    `The component ${name} is part of every install: the config does not make it toggleable.`,
  );
}

async function requireUnused(
  broker: Pick<Broker, "db" | "work">,
  asking: Asking,
  { install, name }: { readonly install: ShownRow; readonly name: string },
): Promise<void> {
  const configId = configIdOf(install);
  if (configId === null) return;
  const of = { app: install.app_id, installId: install.id, configId, name };
  const needing = await deployedDependents(broker, asking, of);
  if (needing.length === 0) return;
  throw problem.conflict(
    "component_in_use",
    `Components are deployed that need ${name}: ${needing.join(", ")}. Tear them down first, or give force.`,
    { components: needing },
  );
}
