import { createHealthCheckRoute } from "../../../shared/api/health-check.ts";
import { createHeartBeatRoute } from "../../../shared/api/heart-beat.ts";
import { completeShutdownRoute } from "../../../shared/api/runner-process-shutdown.ts";
import {
  announceTerminationRoute,
  registerProcessRoute,
  updateProcessRoute,
} from "../../../shared/api/runner-process.ts";
import { problem } from "../../../shared/problem.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { completeShutdown as complete } from "../../processes/complete-shutdown.ts";
import { insertHealthCheck } from "../../processes/health-checks.ts";
import {
  announceTermination,
  leaveProcess as leave,
  noteNoJobs,
  noteRestarts,
} from "../../processes/leave-process.ts";
import { registerProcess as register } from "../../processes/register-process.ts";
import { showProcess } from "../../processes/show-processes.ts";
import { takeHeartBeat } from "../../processes/take-heart-beat.ts";

/** POST /v1/runners/{runner_id}/processes */
export const registerProcess: RegisterRoutes = (app, broker) => {
  app.openapi(registerProcessRoute, async (c) => {
    const runner = { orgId: c.get("actor").orgId, runnerId: c.req.valid("param").runner_id };
    return c.json(await register(broker, runner, c.req.valid("json")), 201);
  });
};

/** POST /v1/runners/{runner_id}/heart-beats */
export const createHeartBeat: RegisterRoutes = (app, broker) => {
  app.openapi(createHeartBeatRoute, async (c) => {
    const runner = { orgId: c.get("actor").orgId, runnerId: c.req.valid("param").runner_id };
    return c.json(await takeHeartBeat(broker, runner, c.req.valid("json")), 201);
  });
};

/** POST /v1/runners/{runner_id}/health-checks */
export const createHealthCheck: RegisterRoutes = (app, broker) => {
  app.openapi(createHealthCheckRoute, async (c) => {
    const runner = { orgId: c.get("actor").orgId, runnerId: c.req.valid("param").runner_id };
    const check = await insertHealthCheck(broker.db, runner, c.req.valid("json"));
    if (check === undefined) throw problem.notFound("process");
    return c.json(check, 201);
  });
};

/** PATCH /v1/runners/{runner_id}/processes/{process_id}, POST …/terminating */
export const leaveProcess: RegisterRoutes = (app, broker) => {
  app.openapi(updateProcessRoute, async (c) => {
    const { runner_id: runnerId, process_id: processId } = c.req.valid("param");
    const told = c.req.valid("json");
    const { status, status_description: description, takes_no_jobs: why } = told;
    const { next_scheduled_restart_at: next, previous_scheduled_restart_at: previous = "" } = told;
    const named = { orgId: c.get("actor").orgId, runnerId, processId };
    if (why !== undefined) await noteNoJobs(broker, named, why);
    if (next !== undefined) await noteRestarts(broker, named, { next, previous });
    if (status !== undefined) await leave(broker, named, { status, description });
    return c.json(await showProcess(broker.db, named), 200);
  });

  app.openapi(announceTerminationRoute, async (c) => {
    const { runner_id: runnerId, process_id: processId } = c.req.valid("param");
    await announceTermination(broker, { orgId: c.get("actor").orgId, runnerId, processId });
    return c.body(null, 202);
  });
};

/** POST /v1/runners/{runner_id}/processes/{process_id}/shutdowns/{shutdown_id}/complete */
export const completeShutdown: RegisterRoutes = (app, broker) => {
  app.openapi(completeShutdownRoute, async (c) => {
    const { runner_id: runnerId, process_id: processId, shutdown_id } = c.req.valid("param");
    const named = { orgId: c.get("actor").orgId, runnerId, processId };
    return c.json(await complete(broker, named, shutdown_id), 200);
  });
};
