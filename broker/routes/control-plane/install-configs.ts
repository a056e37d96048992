import {
  createInstallConfigRoute,
  getInstallConfigRoute,
  listInstallConfigsRoute,
  changeInstallConfigRoute,
} from "../../../shared/api/install-configs.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerListing } from "../../http/answer/answer-listing.ts";
import { hasVersion, requiredVersion } from "../../http/answer/etag.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import {
  changeInstallConfig,
  createInstallConfig,
  showInstallConfig,
} from "../../installs/configs/keep-install-configs.ts";
import { listInstallConfigs } from "../../installs/configs/queries.ts";
import { toInstallConfig } from "../../installs/configs/to-install-config.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { readLabelQuery } from "../../labels/label-query.ts";

/** /v1/installs/{install_id}/configs, and one of them */
export const keepInstallConfigs: RegisterRoutes = (app, { db }) => {
  app.openapi(listInstallConfigsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { install_id: installId } = c.req.valid("param");
    await requireInstall(db, orgId, installId);
    const { labels, created_at_gte, created_at_lte, ...page } = c.req.valid("query");
    const filter = { labels: readLabelQuery(labels), created_at_gte, created_at_lte };
    const listed = await answerListing(c, page, {
      filters: { labels, created_at_gte, created_at_lte },
      read: (request: ListRequest) =>
        listInstallConfigs(db, orgId, { installId, filter, ...request }),
      toItem: toInstallConfig,
    });
    return c.json(listed, 200);
  });
  app.openapi(createInstallConfigRoute, async (c) => {
    const actor = c.get("actor");
    const { install_id: installId } = c.req.valid("param");
    const wanted = { installId, given: c.req.valid("json") };
    const id = await createInstallConfig(db, actor, wanted);
    return c.json(await shown(c, { installId, id }), 201);
  });
  app.openapi(getInstallConfigRoute, async (c) => {
    const { install_id: installId, install_config_id: id } = c.req.valid("param");
    return c.json(await shown(c, { installId, id }), 200);
  });
  app.openapi(changeInstallConfigRoute, async (c) => {
    const actor = c.get("actor");
    const { install_id: installId, install_config_id: id } = c.req.valid("param");
    const version = requiredVersion(c);
    await changeInstallConfig(db, actor, { installId, id, version, given: c.req.valid("json") });
    return c.json(await shown(c, { installId, id }), 200);
  });

  async function shown(c: AppContext, at: { readonly installId: string; readonly id: string }) {
    const { config, version } = await showInstallConfig(db, c.get("actor").orgId, at);
    hasVersion(c, version);
    return config;
  }
};
