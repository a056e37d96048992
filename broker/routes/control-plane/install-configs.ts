import {
  changeInstallConfigRoute,
  createInstallConfigRoute,
} from "../../../shared/api/install-configs.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource, showItem } from "../../http/resources/open-resource.ts";
import { installConfigRows } from "../../installs/configs/install-config-rows.ts";
import {
  changeInstallConfig,
  createInstallConfig,
} from "../../installs/configs/keep-install-configs.ts";

/** /v1/installs/{install_id}/configs, and one of them */
export const keepInstallConfigs: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  openResource(app, broker, installConfigRows);
  app.handle(createInstallConfigRoute, async ({ c, actor, params: { install_id }, body }) => {
    const wanted = { installId: install_id, given: body };
    const id = await createInstallConfig(db, actor, wanted);
    const shown = await showItem(c, db, installConfigRows, { install_id, install_config_id: id });
    return shown;
  });
  app.handle(
    changeInstallConfigRoute,
    async ({ c, actor, params: named, body, requiredVersion }) => {
      const { install_id: installId, install_config_id: id } = named;
      const wanted = { installId, id, version: requiredVersion(), given: body };
      await changeInstallConfig(db, actor, wanted);
      return await showItem(c, db, installConfigRows, named);
    },
  );
};
