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
  app.handle(registerProcessRoute, async ({ orgId, params, body }) => {
    const runner = { orgId, runnerId: params.runner_id };
    return await register(broker, runner, body);
  });
};

/** POST /v1/runners/{runner_id}/heart-beats */
export const createHeartBeat: RegisterRoutes = (app, broker) => {
  app.handle(createHeartBeatRoute, async ({ orgId, params, body }) => {
    const runner = { orgId, runnerId: params.runner_id };
    return await takeHeartBeat(broker, runner, body);
  });
};

/** POST /v1/runners/{runner_id}/health-checks */
export const createHealthCheck: RegisterRoutes = (app, broker) => {
  app.handle(createHealthCheckRoute, async ({ orgId, params, body }) => {
    const runner = { orgId, runnerId: params.runner_id };
    const check = await insertHealthCheck(broker.db, runner, body);
    if (check === undefined) throw problem.notFound("process");
    return check;
  });
};

/** PATCH /v1/runners/{runner_id}/processes/{process_id}, POST …/terminating */
export const leaveProcess: RegisterRoutes = (app, broker) => {
  app.handle(updateProcessRoute, async ({ orgId, params, body: told }) => {
    const { runner_id: runnerId, process_id: processId } = params;
    const { status, status_description: description, takes_no_jobs: why } = told;
    const { next_scheduled_restart_at: next, previous_scheduled_restart_at: previous = "" } = told;
    const named = { orgId, runnerId, processId };
    if (why !== undefined) await noteNoJobs(broker, named, why);
    if (next !== undefined) await noteRestarts(broker, named, { next, previous });
    if (status !== undefined) await leave(broker, named, { status, description });
    return await showProcess(broker.db, named);
  });

  app.handle(announceTerminationRoute, async ({ orgId, params }) => {
    const { runner_id: runnerId, process_id: processId } = params;
    await announceTermination(broker, { orgId, runnerId, processId });
  });
};

/** POST /v1/runners/{runner_id}/processes/{process_id}/shutdowns/{shutdown_id}/complete */
export const completeShutdown: RegisterRoutes = (app, broker) => {
  app.handle(completeShutdownRoute, async ({ orgId, params }) => {
    const { runner_id: runnerId, process_id: processId, shutdown_id } = params;
    const named = { orgId, runnerId, processId };
    return await complete(broker, named, shutdown_id);
  });
};
