import {
  listAppLabelKeysRoute,
  listInstallLabelKeysRoute,
} from "../../../shared/api/label-keys.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { listAppLabelKeys, listInstallLabelKeys } from "../../labels/list-label-keys.ts";

/** GET /v1/apps/label-keys, /v1/installs/label-keys: before the routes of one app or install */
export const readLabelKeys: RegisterRoutes = (app, { db }) => {
  app.openapi(listAppLabelKeysRoute, async (c) => {
    const { orgId, bound } = c.get("actor");
    return c.json(await listAppLabelKeys(db, orgId, { bound }), 200);
  });
  app.openapi(listInstallLabelKeysRoute, async (c) => {
    const { orgId, bound } = c.get("actor");
    const { app_id: appId } = c.req.valid("query");
    return c.json(await listInstallLabelKeys(db, orgId, { appId, bound }), 200);
  });
};
