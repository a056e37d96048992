import {
  listActionLabelKeysRoute,
  listAppLabelKeysRoute,
  listAppLabelsRoute,
  listComponentLabelKeysRoute,
  listInstallLabelKeysRoute,
} from "../../../shared/api/label-keys.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { listAppLabels } from "../../labels/list-app-labels.ts";
import {
  listAppLabelKeys,
  listInstallLabelKeys,
  listPartLabelKeys,
} from "../../labels/list-label-keys.ts";

/** GET …/label-keys of apps, installs and what apps have, before the routes of one of these; GET /v1/apps/{app_id}/labels */
export const readLabelKeys: RegisterRoutes = (app, { db }) => {
  app.handle(
    listAppLabelKeysRoute,
    async ({ actor: { orgId, bound } }) => await listAppLabelKeys(db, orgId, { bound }),
  );
  for (const [route, kind] of ofParts) {
    app.handle(route, async ({ orgId, params: { app_id: appId } }) => {
      await requireApp(db, orgId, appId);
      return await listPartLabelKeys(db, orgId, { kind, appId });
    });
  }
  app.handle(listAppLabelsRoute, async ({ orgId, params: { app_id: appId } }) => {
    const { label_colors: colors } = await requireApp(db, orgId, appId);
    return await listAppLabels(db, orgId, { appId, colors });
  });
  app.handle(
    listInstallLabelKeysRoute,
    async ({ actor: { orgId, bound }, query: { app_id: appId } }) =>
      await listInstallLabelKeys(db, orgId, { appId, bound }),
  );
};

const ofParts = [
  [listActionLabelKeysRoute, "actions"],
  [listComponentLabelKeysRoute, "components"],
] as const;
