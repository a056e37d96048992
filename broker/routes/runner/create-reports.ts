import { reportExecutionsRoute } from "../../../shared/api/report-executions.ts";
import { refusalOf, toResultReport } from "../../executions/record-report.ts";
import { reportExecutions } from "../../executions/report-executions.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** POST /v1/runners/{runner_id}/reports */
export const createReports: RegisterRoutes = (app, broker) => {
  app.handle(
    reportExecutionsRoute,
    async ({ c, orgId, params: { runner_id: runnerId }, body: { reports } }) => {
      const longTexts = c.get("longTexts");
      const answers = await reportExecutions(
        broker,
        reports.map((report, at) => ({
          orgId,
          runnerId,
          executionId: report.execution,
          status: report.status,
          description: report.status_description ?? undefined,
          giveBack: report.give_back ?? undefined,
          result: report.result
            ? toResultReport(report.result, longTexts.get(`#/reports/${at}/result`))
            : undefined,
          outputs: longTexts.get(`#/reports/${at}/outputs`) ?? report.outputs ?? undefined,
          lastRecord: report.last_record ?? undefined,
        })),
      );
      return {
        reports: answers.map((answer, at) => {
          const refused = refusalOf(answer);
          return {
            execution: reports[at]?.execution ?? "",
            status: refused?.status ?? 200,
            execution_status: answer.execution?.status ?? null,
            job_status: answer.jobStatus,
            ...(refused && { code: refused.code, detail: refused.message }),
          };
        }),
      };
    },
  );
};
