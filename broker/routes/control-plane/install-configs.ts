import {
  changeInstallConfigRoute,
  createInstallConfigRoute,
} from "../../../shared/api/install-configs.ts";
import { requiredVersion } from "../../http/answer/etag.ts";
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
  app.openapi(createInstallConfigRoute, async (c) => {
    const { install_id } = c.req.valid("param");
    const wanted = { installId: install_id, given: c.req.valid("json") };
    const id = await createInstallConfig(db, c.get("actor"), wanted);
    const shown = await showItem(c, db, installConfigRows, { install_id, install_config_id: id });
    return c.json(shown, 201);
  });
  app.openapi(changeInstallConfigRoute, async (c) => {
    const named = c.req.valid("param");
    const { install_id: installId, install_config_id: id } = named;
    const wanted = { installId, id, version: requiredVersion(c), given: c.req.valid("json") };
    await changeInstallConfig(db, c.get("actor"), wanted);
    return c.json(await showItem(c, db, installConfigRows, named), 200);
  });
};
