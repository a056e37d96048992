import { reportProgressRoute } from "../../../shared/api/execution-progress.ts";
import { takeProgress } from "../../executions/take-progress.ts";
import type { Door } from "../../http/app-types.ts";

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/progress */
export const reportProgress: Door = (app, { db }) => {
  app.openapi(reportProgressRoute, async (c) => {
    const { steps } = c.req.valid("json");
    return c.json(await takeProgress(db, c.get("actor"), c.req.valid("param"), steps), 200);
  });
};
