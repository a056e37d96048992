import { createOutputsRoute, createResultRoute } from "../../../shared/api/report-executions.ts";
import { findOutputs, listResults } from "../../executions/queries.ts";
import { recordReport, toResultReport } from "../../executions/record-report.ts";
import { toOutputs, toResult } from "../../executions/to-execution.ts";
import { answerJson } from "../../http/answer/answer-json.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { JsonPlaceholders } from "../../seals/json-placeholders.ts";

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/result */
export const createResult: RegisterRoutes = (app, broker) => {
  app.handle(createResultRoute, async ({ c, actor, params, body }) => {
    await recordReport(broker, actor, params, {
      result: toResultReport(body, c.get("longTexts").get("#")),
    });
    const [stored] = await permitFor(
      c,
      broker,
    )(() => listResults(broker.db, actor.orgId, [params.execution_id]));
    if (stored === undefined) throw new Error(`the result of ${params.execution_id} is not there`);
    return toResult(stored);
  });
};

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/outputs */
export const createOutputs: RegisterRoutes = (app, broker) => {
  app.handle(createOutputsRoute, async ({ c, actor, params, body }) => {
    await recordReport(broker, actor, params, {
      outputs: c.get("longTexts").get("#/outputs") ?? body.outputs ?? {},
    });
    const stored = await permitFor(
      c,
      broker,
    )(() => findOutputs(broker, actor.orgId, params.execution_id));
    if (stored === undefined)
      throw new Error(`the outputs of ${params.execution_id} are not there`);
    const placeholders = new JsonPlaceholders();
    const value = await toOutputs(stored, { ...broker, placeholders });
    return answerJson(c, broker, { value, placeholders, status: 201 });
  });
};
