import * as latest from "../../../shared/api/latest-config-parts.ts";
import * as routes from "../../../shared/api/read-config-parts.ts";
import { listParts, showLatestPart, showPart } from "../../app-configs/show-parts.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerListing } from "../../http/answer/answer-listing.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** Parts of an app's configs: of the active one, of one that is named, of all that have it */
export const readConfigParts: RegisterRoutes = (app, broker) => {
  readLatest(app, broker);
  readOne(app, broker);
  readAll(app, broker);
};

const ofActive = [
  [latest.getLatestInputConfigRoute, "inputs"],
  [latest.getLatestSandboxConfigRoute, "sandbox"],
  [latest.getLatestRunnerConfigRoute, "runner"],
  [latest.getLatestStackConfigRoute, "stack"],
  [latest.getLatestPermissionsConfigRoute, "roles"],
  [latest.getLatestBreakGlassConfigRoute, "break glass roles"],
  [latest.getLatestOperationRoleConfigRoute, "operation roles"],
  [latest.getLatestPoliciesConfigRoute, "policies"],
  [latest.getLatestSecretsConfigRoute, "secrets"],
  [latest.getLatestMetadataConfigRoute, "metadata"],
  [latest.getLatestContextsConfigRoute, "kubernetes contexts"],
  [latest.getLatestTriggerRulesConfigRoute, "trigger rules"],
] as const;

const readLatest: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  for (const [route, part] of ofActive) {
    app.handle(route, async ({ c, orgId, params }) => {
      const shown = await showLatestPart(db, orgId, params.app_id, part);
      return answerInTurns(c, broker, shown);
    });
  }
};

const ofConfigs = [
  [routes.getInputConfigRoute, "inputs"],
  [routes.getStackConfigRoute, "stack"],
  [routes.getPermissionsConfigRoute, "roles"],
  [routes.getBreakGlassConfigRoute, "break glass roles"],
  [routes.getOperationRoleConfigRoute, "operation roles"],
  [routes.getPoliciesConfigRoute, "policies"],
  [routes.getSecretsConfigRoute, "secrets"],
] as const;

const readOne: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  for (const [route, part] of ofConfigs) {
    app.handle(route, async ({ c, orgId, params: { app_id, app_config_id: id } }) => {
      const shown = await showPart(db, orgId, { app: app_id, id }, part);
      return answerInTurns(c, broker, shown);
    });
  }
};

const lists = [
  [routes.listInputConfigsRoute, "inputs"],
  [routes.listPoliciesConfigsRoute, "policies"],
  [routes.listRunnerConfigsRoute, "runner"],
  [routes.listSandboxConfigsRoute, "sandbox"],
] as const;

const readAll: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  for (const [route, part] of lists) {
    app.handle(route, async ({ c, orgId, params, query }) => {
      await requireApp(db, orgId, params.app_id);
      const listed = await answerListing(c, query, {
        read: (request: ListRequest) =>
          listParts(db, orgId, { app: params.app_id, part, ...request }),
        toItem: ({ shown }) => shown,
      });
      return answerInTurns(c, broker, listed);
    });
  }
};
