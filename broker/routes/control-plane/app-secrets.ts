import { deleteAppSecretRoute, setAppSecretRoute } from "../../../shared/api/app-secrets.ts";
import { appSecretRows } from "../../app-secrets/app-secret-rows.ts";
import { deleteAppSecret, setAppSecret } from "../../app-secrets/keep-app-secrets.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";

/** /v1/apps/{app_id}/secrets */
export const keepAppSecrets: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  openResource(app, broker, appSecretRows);
  app.openapi(setAppSecretRoute, async (c) => {
    const { app_id: id } = c.req.valid("param");
    const { secret, isNew } = await setAppSecret(broker, c.get("actor"), id, c.req.valid("json"));
    return c.json({ ...secret, replaced: !isNew }, isNew ? 201 : 200);
  });
  app.openapi(deleteAppSecretRoute, async (c) => {
    const { app_id, secret_id: id } = c.req.valid("param");
    await deleteAppSecret(db, c.get("actor").orgId, { app: app_id, id });
    return c.body(null, 204);
  });
};
