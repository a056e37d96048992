import {
  announceTerminationRoute,
  updateProcessRoute,
} from "../../../shared/api/runner-process.ts";
import type { Door } from "../../http/app-types.ts";
import {
  announceTermination,
  leaveProcess as leave,
  noteNoJobs,
} from "../../processes/leave-process.ts";
import { showProcess } from "../../processes/show-processes.ts";

/** PATCH /v1/runners/{runner_id}/processes/{process_id}, POST …/terminating */
export const leaveProcess: Door = (app, broker) => {
  app.openapi(updateProcessRoute, async (c) => {
    const { runner_id: runnerId, process_id: processId } = c.req.valid("param");
    const { status, status_description: description, takes_no_jobs: why } = c.req.valid("json");
    const named = { orgId: c.get("actor").orgId, runnerId, processId };
    if (why !== undefined) await noteNoJobs(broker, named, why);
    if (status !== undefined) await leave(broker, named, { status, description });
    return c.json(await showProcess(broker.db, named), 200);
  });

  app.openapi(announceTerminationRoute, async (c) => {
    const { runner_id: runnerId, process_id: processId } = c.req.valid("param");
    await announceTermination(broker, { orgId: c.get("actor").orgId, runnerId, processId });
    return c.body(null, 202);
  });
};
