import {
  getExecutionEndRoute,
  getExecutionRoute,
  getResultRoute,
  listExecutionsRoute,
} from "../../../shared/api/read-runner-job-executions.ts";
import type { Broker } from "../../broker.ts";
import { readExecution, readExecutionEnd, readResult } from "../../executions/read-execution.ts";
import { answerJson } from "../../http/answer/answer-json.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { tellSecrets } from "../../http/gate/audit-gate.ts";
import { readExecutions as readExecutionsOf, requireJob } from "../../jobs/read-job.ts";
import { showExecutionTo, showResultTo } from "../../jobs/show-job-to.ts";
import { JsonPlaceholders } from "../../seals/json-placeholders.ts";

/** GET …/executions, …/executions/{execution_id}, …/executions/{execution_id}/end, …/executions/{execution_id}/result */
export const readExecutions: RegisterRoutes = (app, broker) => {
  app.handle(listExecutionsRoute, async ({ c, actor, params }) => {
    const { orgId, runnerId } = actor;
    const job = await requireJob(broker.db, orgId, params.job_id, runnerId);
    confirmOwn(c, broker, job.status === "in-progress" ? job.execution_id : null);
    return (await readExecutionsOf(broker.db, orgId, job.id)).map(showExecutionTo(actor));
  });
  app.handle(getExecutionRoute, async ({ c, actor, params: named }) => {
    const placeholders = new JsonPlaceholders();
    const value = await readExecution({ ...broker, placeholders }, actor, named);
    confirmOwn(c, broker, value.finished_at === null ? value.id : null);
    if ((value.evidence ?? []).length > 0) tellContents(c);
    return answerJson(c, broker, { value: showExecutionTo(actor)(value), placeholders });
  });
  app.handle(
    getExecutionEndRoute,
    async ({ actor, params }) => await readExecutionEnd(broker.db, actor, params),
  );
  app.handle(getResultRoute, async ({ c, actor, params }) => {
    const placeholders = new JsonPlaceholders();
    const value = await readResult({ ...broker, placeholders }, actor, params);
    if (Object.keys(value).some((name) => name.startsWith("contents"))) tellContents(c);
    return answerJson(c, broker, { value: showResultTo(actor)(value), placeholders });
  });
};

/** A result's contents are shown to who may see plans' secrets. */
function tellContents(c: AppContext): void {
  if (c.get("actor").permissions.has("plans.secrets")) tellSecrets(c);
}

/** A runner that reads its own job confirms that it has the execution. */
function confirmOwn(c: AppContext, { confirm }: Broker, executionId: string | null): void {
  const { orgId, runnerId } = c.get("actor");
  if (runnerId !== null && executionId !== null) confirm({ orgId, runnerId, executionId });
}
