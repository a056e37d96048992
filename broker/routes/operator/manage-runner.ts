import {
  restartManagedRunnerRoute,
  shutDownManagedRunnerRoute,
  shutDownRunnerVmRoute,
  updateManagedRunnerRoute,
} from "../../../shared/api/manage-runner.ts";
import type { Door } from "../../http/app-types.ts";
import { takeIdempotencyKey, tellReplay } from "../../http/gate/idempotency.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";
import { type ManagementOrder, orderManagement } from "../../runners/order-management.ts";

const orders = [
  [shutDownRunnerVmRoute, "mng-vm-shut-down"],
  [shutDownManagedRunnerRoute, "mng-shut-down"],
  [updateManagedRunnerRoute, "mng-runner-update-version"],
  [restartManagedRunnerRoute, "mng-runner-restart"],
] as const satisfies (readonly [unknown, ManagementOrder])[];

/** POST /v1/runners/{runner_id}/mng/shutdown-vm, …/shutdown, …/update, …/restart */
export const manageRunner: Door = (app, broker) => {
  for (const [route, type] of orders) {
    app.openapi(route, async (c) => {
      const { runner_id: runnerId } = c.req.valid("param");
      const key = takeIdempotencyKey(c);
      const ordered = await orderManagement(broker, c.get("actor"), { runnerId, type, key });
      return c.json(toRunnerJob(tellReplay(c, ordered).job), 201);
    });
  }
};
