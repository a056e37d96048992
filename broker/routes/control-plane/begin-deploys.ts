import * as routes from "../../../shared/api/deploy-components.ts";
import type { InstallDeploy } from "../../../shared/api/install-deploys.ts";
import type { Broker } from "../../broker.ts";
import {
  deployComponents,
  deprovisionSandbox,
  forgetComponent,
  reprovisionSandbox,
  teardownComponent,
  teardownComponents,
  toggleComponent,
} from "../../deploys/begin-changes.ts";
import { deployComponent } from "../../deploys/deploy-component.ts";
import { showBegunDeploy } from "../../deploys/show-begun-deploy.ts";
import { showInstallComponent } from "../../deploys/show-install-components.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import type { Actor } from "../../tokens/actor.ts";

/** POST /v1/installs/{install_id}/deploys, …/components/deploy-all and the like, …/components/{component_id}/deploys and the like, …/deprovision-sandbox, …/reprovision-sandbox */
export const beginDeploys: RegisterRoutes = (app, broker) => {
  ofAll(app, broker);
  ofOne(app, broker);
  ofSandbox(app, broker);
};

type Asked = {
  readonly build_id?: string | undefined;
  readonly type: "apply" | "recover";
  readonly deploy_dependents: boolean;
  readonly deploy_dependencies: boolean;
  readonly role: string;
  readonly plan_only: boolean;
};
type Of = { readonly installId: string; readonly componentId: string | undefined };

async function deploy(broker: Broker, actor: Actor, of: Of, body: Asked): Promise<InstallDeploy> {
  const begun = await deployComponent(broker, actor, {
    ...of,
    buildId: body.build_id,
    isRecovery: body.type === "recover",
    dependents: body.deploy_dependents,
    dependencies: body.deploy_dependencies,
    role: body.role,
    planOnly: body.plan_only,
  });
  return await showBegunDeploy(broker.db, actor, begun);
}

const howOf = (
  installId: string,
  { role, plan_only: planOnly }: { readonly role: string; readonly plan_only: boolean },
) => ({ installId, role, planOnly });

const ofAll: RegisterRoutes = (app, broker) => {
  app.handle(routes.deployComponentsRoute, async ({ actor, params, body }) => ({
    workflow_id: await deployComponents(broker, actor, howOf(params.install_id, body)),
  }));
  app.handle(routes.teardownComponentsRoute, async ({ actor, params, body }) => ({
    workflow_id: await teardownComponents(broker, actor, howOf(params.install_id, body)),
  }));
  app.handle(routes.createDeployRoute, async ({ actor, params, body }) => {
    const of = { installId: params.install_id, componentId: undefined };
    return await deploy(broker, actor, of, body);
  });
};

const ofOne: RegisterRoutes = (app, broker) => {
  app.handle(routes.createDeployOfComponentRoute, async ({ actor, params, body }) => {
    const of = { installId: params.install_id, componentId: params.component_id };
    return await deploy(broker, actor, of, body);
  });
  app.handle(routes.teardownComponentRoute, async ({ c, params, body }) => {
    const how = howOf(params.install_id, body);
    const wanted = { ...how, componentId: params.component_id, isForced: body.force };
    return { workflow_id: await teardownComponent(broker, askingOf(c, broker), wanted) };
  });
  app.handle(routes.toggleComponentRoute, async ({ c, params, body }) => {
    const { enabled: isOn, force: isForced, ...rest } = body;
    const how = howOf(params.install_id, rest);
    const wanted = { ...how, componentId: params.component_id, isForced, isOn };
    return { workflow_id: await toggleComponent(broker, askingOf(c, broker), wanted) };
  });
  app.handle(routes.forgetComponentRoute, async ({ c, orgId, params }) => {
    const which = { installId: params.install_id, componentId: params.component_id };
    await forgetComponent(broker.db, orgId, which);
    return answerInTurns(c, broker, await showInstallComponent(broker.db, orgId, which));
  });
};

const ofSandbox: RegisterRoutes = (app, broker) => {
  app.handle(routes.deprovisionSandboxRoute, async ({ actor, params, body }) => ({
    workflow_id: await deprovisionSandbox(broker, actor, howOf(params.install_id, body)),
  }));
  app.handle(routes.reprovisionSandboxRoute, async ({ actor, params, body }) => {
    const { skip_components: skipsComponents, ...rest } = body;
    const wanted = { ...howOf(params.install_id, rest), skipsComponents };
    return { workflow_id: await reprovisionSandbox(broker, actor, wanted) };
  });
};
