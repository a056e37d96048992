import { deleteAppSecretRoute, setAppSecretRoute } from "../../../shared/api/app-secrets.ts";
import { appSecretRows } from "../../app-secrets/app-secret-rows.ts";
import { deleteAppSecret, setAppSecret } from "../../app-secrets/keep-app-secrets.ts";
import { answer } from "../../http/answer/answer.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";

/** /v1/apps/{app_id}/secrets */
export const keepAppSecrets: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  openResource(app, broker, appSecretRows);
  app.handle(setAppSecretRoute, async ({ actor, params: { app_id: id }, body }) => {
    const { secret, isNew } = await setAppSecret(broker, actor, id, body);
    return answer(isNew ? 201 : 200, { ...secret, replaced: !isNew });
  });
  app.handle(deleteAppSecretRoute, async ({ orgId, params }) => {
    const { app_id, secret_id: id } = params;
    await deleteAppSecret(db, orgId, { app: app_id, id });
  });
};
