import {
  listAppLabelKeysRoute,
  listInstallLabelKeysRoute,
} from "../../../shared/api/label-keys.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { listAppLabelKeys, listInstallLabelKeys } from "../../labels/list-label-keys.ts";

/** GET /v1/apps/label-keys, /v1/installs/label-keys: before the routes of one app or install */
export const readLabelKeys: RegisterRoutes = (app, { db }) => {
  app.handle(
    listAppLabelKeysRoute,
    async ({ actor: { orgId, bound } }) => await listAppLabelKeys(db, orgId, { bound }),
  );
  app.handle(
    listInstallLabelKeysRoute,
    async ({ actor: { orgId, bound }, query: { app_id: appId } }) =>
      await listInstallLabelKeys(db, orgId, { appId, bound }),
  );
};
