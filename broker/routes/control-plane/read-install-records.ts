import {
  checkInstallDnsRoute,
  generateCliInstallConfigRoute,
  generateTerraformInstallerConfigRoute,
  getInstallReadmeRoute,
  getRunnerGroupOfInstallRoute,
  listInstallAuditLogsRoute,
} from "../../../shared/api/install-records.ts";
import { listRoleUsagesRoute } from "../../../shared/api/list-role-usages.ts";
import { listInstallAudit, toInstallAuditLog } from "../../audit/list-install-audit.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answer } from "../../http/answer/answer.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { listRoleUsages } from "../../install-roles/list-role-usages.ts";
import { checkDns } from "../../installs/check-dns.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { showInstallFile, showTerraformInstall } from "../../installs/show-install-files.ts";
import { showReadme } from "../../installs/show-readme.ts";
import { showRunnerGroup } from "../../runner-groups/show-runner-group.ts";

/** GET /v1/installs/{install_id}/readme, …/dns/check, …/audit_logs, …/runner-group, …/roles/usages, …/generate-cli-install-config, …/generate-terraform-installer-config */
export const readInstallRecords: RegisterRoutes = (app, broker) => {
  const { db, config } = broker;
  app.handle(getInstallReadmeRoute, async ({ c, params: { install_id: id } }) => {
    const shown = await showReadme(broker, askingOf(c, broker), id);
    return shown.faults.length === 0 ? answer(200, shown) : answer(206, shown);
  });
  app.handle(
    checkInstallDnsRoute,
    async ({ c, params: { install_id: id } }) => await checkDns(broker, askingOf(c, broker), id),
  );
  app.handle(
    listInstallAuditLogsRoute,
    async ({ c, orgId, params: { install_id: installId }, query }) => {
      await requireInstall(db, orgId, installId);
      const [page, { start: from, end: to }] = splitQuery(query);
      const days = config.retainAuditDays;
      const logs = await answerList(c, page, {
        filters: { from, to },
        read: (request: ListRequest) =>
          listInstallAudit(db, orgId, { installId, from, to, days, ...request }),
        toItem: (row) => toInstallAuditLog(installId, row),
      });
      return logs;
    },
  );
  app.handle(listRoleUsagesRoute, async ({ c, actor, params, query }) => {
    const { install_id: installId } = params;
    await requireInstall(db, actor.orgId, installId);
    const [page, filter] = splitQuery(query);
    const usages = await answerList(c, page, {
      filters: { installId, ...filter },
      read: (request: ListRequest) =>
        listRoleUsages(broker, actor, { installId, filter, ...request }),
      toItem: ({ whole }) => whole,
    });
    return usages;
  });
  app.handle(getRunnerGroupOfInstallRoute, async ({ orgId, params }) => {
    const { runner_group_id: id } = await requireInstall(db, orgId, params.install_id);
    return await showRunnerGroup(db, orgId, id);
  });
  app.handle(generateCliInstallConfigRoute, async ({ c, orgId, params: { install_id: id } }) => {
    const text = await showInstallFile(broker, orgId, id);
    const wantsBytes = requestHeader(c, "accept")?.includes("application/octet-stream") === true;
    const type = wantsBytes ? "application/octet-stream" : "text/plain; charset=UTF-8";
    return answerFinished(c, broker, [text], { type });
  });
  app.handle(generateTerraformInstallerConfigRoute, async ({ c, orgId, params }) => {
    const { install_id: id } = params;
    const provider = config.brands[0] ?? "svc";
    const text = await showTerraformInstall(broker, orgId, { id, provider });
    setHeader(c, "content-disposition", `attachment; filename="install.tf"`);
    return answerFinished(c, broker, [text], { type: "application/octet-stream" });
  });
};
