import {
  deleteAppSecretRoute,
  listAppSecretsRoute,
  setAppSecretRoute,
} from "../../../shared/api/app-secrets.ts";
import { deleteAppSecret, setAppSecret, toAppSecret } from "../../app-secrets/keep-app-secrets.ts";
import { listAppSecrets } from "../../app-secrets/queries.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerListing } from "../../http/answer/answer-listing.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** /v1/apps/{app_id}/secrets */
export const keepAppSecrets: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(listAppSecretsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id: id } = c.req.valid("param");
    const { cursor, limit, offset, ...filter } = c.req.valid("query");
    const page = { cursor, limit, offset };
    await requireApp(db, orgId, id);
    const listed = await answerListing(c, page, {
      filters: filter,
      read: (request: ListRequest) => listAppSecrets(db, orgId, id, { ...request, filter }),
      toItem: toAppSecret,
    });
    return c.json(listed, 200);
  });
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
