import {
  generateCliInstallConfigRoute,
  getInstallReadmeRoute,
  getRunnerGroupOfInstallRoute,
  listDriftedObjectsRoute,
  listInstallAuditLogsRoute,
} from "../../../shared/api/install-records.ts";
import { listInstallAudit, toInstallAuditLog } from "../../audit/list-install-audit.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerListing } from "../../http/answer/answer-listing.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { showInstallFile } from "../../installs/show-install-file.ts";
import { showReadme } from "../../installs/show-readme.ts";
import { showRunnerGroup } from "../../runner-groups/show-runner-group.ts";

/** GET /v1/installs/{install_id}/readme, …/audit_logs, …/runner-group, …/drifted-objects, …/generate-cli-install-config */
export const readInstallRecords: RegisterRoutes = (app, broker) => {
  const { db, config } = broker;
  app.openapi(getInstallReadmeRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const shown = await showReadme(broker, askingOf(c, broker), id);
    return shown.warnings.length === 0 ? c.json(shown, 200) : c.json(shown, 206);
  });
  app.openapi(listInstallAuditLogsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { install_id: installId } = c.req.valid("param");
    await requireInstall(db, orgId, installId);
    const { start: from, end: to, ...page } = c.req.valid("query");
    const days = config.retainAuditDays;
    const logs = await answerListing(c, page, {
      filters: { from, to },
      read: (request: ListRequest) =>
        listInstallAudit(db, orgId, { installId, from, to, days, ...request }),
      toItem: (row) => toInstallAuditLog(installId, row),
    });
    return c.json(logs, 200);
  });
  app.openapi(getRunnerGroupOfInstallRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { runner_group_id: id } = await requireInstall(
      db,
      orgId,
      c.req.valid("param").install_id,
    );
    return c.json(await showRunnerGroup(db, orgId, id), 200);
  });
  app.openapi(listDriftedObjectsRoute, async (c) => {
    await requireInstall(db, c.get("actor").orgId, c.req.valid("param").install_id);
    return c.json([], 200);
  });
  app.openapi(generateCliInstallConfigRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const text = await showInstallFile(broker, c.get("actor").orgId, id);
    return answerFinished(c, broker, [text], { type: "text/plain; charset=UTF-8" });
  });
};
