import {
  listActionLabelKeysRoute,
  listAppLabelKeysRoute,
  listInstallLabelKeysRoute,
} from "../../../shared/api/label-keys.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import {
  listActionLabelKeys,
  listAppLabelKeys,
  listInstallLabelKeys,
} from "../../labels/list-label-keys.ts";

/** GET /v1/apps/label-keys, …/{app_id}/actions/label-keys, /v1/installs/label-keys: before the routes of one app, action or install */
export const readLabelKeys: RegisterRoutes = (app, { db }) => {
  app.handle(
    listAppLabelKeysRoute,
    async ({ actor: { orgId, bound } }) => await listAppLabelKeys(db, orgId, { bound }),
  );
  app.handle(listActionLabelKeysRoute, async ({ orgId, params: { app_id: appId } }) => {
    await requireApp(db, orgId, appId);
    return await listActionLabelKeys(db, orgId, appId);
  });
  app.handle(
    listInstallLabelKeysRoute,
    async ({ actor: { orgId, bound }, query: { app_id: appId } }) =>
      await listInstallLabelKeys(db, orgId, { appId, bound }),
  );
};
