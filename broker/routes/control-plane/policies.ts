import * as routes from "../../../shared/api/policy-analytics.ts";
import { exportPolicyReportRoute } from "../../../shared/api/policy-reports.ts";
import { problem } from "../../../shared/problem.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import {
  comparePolicies,
  policiesOverTime,
  summarizePolicies,
} from "../../policies/policy-analytics.ts";
import { reportCsv } from "../../policies/report-csv.ts";
import { reportRows } from "../../policies/report-rows.ts";
import { showPolicy } from "../../policies/show-policy.ts";

/** /v1/policy-reports, /v1/apps/{app_id}/policy-analytics, …/policy-config */
export const readPolicies: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.summarizePoliciesRoute, async ({ orgId, params: { app_id }, query }) => {
    await requireApp(db, orgId, app_id);
    return await summarizePolicies(db, orgId, { app: app_id, query });
  });
  app.handle(routes.breakDownPoliciesRoute, async ({ orgId, params: { app_id }, query }) => {
    const { dimension, limit } = query;
    await requireApp(db, orgId, app_id);
    return await comparePolicies(db, orgId, { app: app_id, query, dimension, limit });
  });
  app.handle(routes.chartPoliciesRoute, async ({ orgId, params: { app_id }, query }) => {
    await requireApp(db, orgId, app_id);
    return await policiesOverTime(db, orgId, { app: app_id, query, groupBy: query.group_by });
  });
  app.handle(routes.getPolicyRoute, async ({ orgId, params }) =>
    showPolicy(db, orgId, { app: params.app_id, id: params.policy_config_id }),
  );
  openResource(app, broker, reportRows);
  app.handle(exportPolicyReportRoute, async ({ c, orgId, params, query: { format } }) => {
    const row = await reportRows.find(db, orgId, params);
    if (row === undefined) throw problem.notFound("report");
    const report = reportRows.toItem(row);
    setHeader(c, "content-disposition", `attachment; filename="${report.id}.${format}"`);
    const [text, type] =
      format === "csv"
        ? [reportCsv(report), "text/csv; charset=UTF-8"]
        : [JSON.stringify(report), "application/json"];
    return answerFinished(c, broker, [text], { type });
  });
};
