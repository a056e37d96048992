import { deleteAppSecretRoute, setAppSecretRoute } from "../../../shared/api/app-secrets.ts";
import { problem } from "../../../shared/problem.ts";
import { appSecretRows } from "../../app-secrets/app-secret-rows.ts";
import { deleteAppSecret, setAppSecret } from "../../app-secrets/keep-app-secrets.ts";
import { tellThere } from "../../http/answer/tell-there.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";

/** /v1/apps/{app_id}/secrets */
export const keepAppSecrets: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  openResource(app, broker, appSecretRows);
  app.handle(setAppSecretRoute, async ({ c, actor, params: { app_id: id }, body }) => {
    const { secret, isNew } = tellThere(c, await setAppSecret(broker, actor, id, body));
    return { ...secret, replaced: !isNew };
  });
  app.handle(deleteAppSecretRoute, async ({ orgId, params }) => {
    const { app_id: app, secret_id: id } = params;
    const row = await appSecretRows.find(db, orgId, params);
    if (row === undefined) throw problem.notFound("app secret");
    await deleteAppSecret(db, orgId, { app, id });
    return appSecretRows.toItem(row);
  });
};
