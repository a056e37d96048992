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
import { JsonPlaceholders } from "../../seals/json-placeholders.ts";

/** GET …/executions, …/executions/{execution_id}, …/executions/{execution_id}/end, …/executions/{execution_id}/result */
export const readExecutions: RegisterRoutes = (app, broker) => {
  app.openapi(listExecutionsRoute, async (c) => {
    const { orgId, runnerId } = c.get("actor");
    const job = await requireJob(broker.db, orgId, c.req.valid("param").job_id, runnerId);
    confirmOwn(c, broker, job.status === "in-progress" ? job.execution_id : null);
    return c.json(await readExecutionsOf(broker.db, orgId, job.id), 200);
  });
  app.openapi(getExecutionRoute, async (c) => {
    const named = c.req.valid("param");
    const placeholders = new JsonPlaceholders();
    const value = await readExecution({ ...broker, placeholders }, c.get("actor"), named);
    confirmOwn(c, broker, value.finished_at === null ? value.id : null);
    if ((value.evidence ?? []).length > 0) tellContents(c);
    return answerJson(c, broker, { value, placeholders });
  });
  app.openapi(getExecutionEndRoute, async (c) =>
    c.json(await readExecutionEnd(broker.db, c.get("actor"), c.req.valid("param")), 200),
  );
  app.openapi(getResultRoute, async (c) => {
    const placeholders = new JsonPlaceholders();
    const value = await readResult(
      { ...broker, placeholders },
      c.get("actor"),
      c.req.valid("param"),
    );
    if (Object.keys(value).some((name) => name.startsWith("contents"))) tellContents(c);
    return answerJson(c, broker, { value, placeholders });
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
