import {
  restartManagedRunnerRoute,
  shutDownManagedRunnerRoute,
  shutDownRunnerVmRoute,
  updateManagedRunnerRoute,
} from "../../../shared/api/manage-runner.ts";
import { getRunnerCardRoute, getRunnerConnectionRoute } from "../../../shared/api/runner-card.ts";
import { updateRunnerVersionRoute } from "../../../shared/api/runner-updates.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import {
  createRunnerRoute,
  deleteRunnerRoute,
  deprovisionRunnerRoute,
  disableRunnerRoute,
  enableRunnerRoute,
  listRunnersRoute,
  pauseRunnerRoute,
  resumeRunnerRoute,
  updateRunnerRoute,
} from "../../../shared/api/runners.ts";
import type { Broker } from "../../broker.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { takeIdempotencyKey, tellReplay } from "../../http/gate/idempotency.ts";
import { showJobTo } from "../../jobs/show-job-to.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";
import { createRunner as makeRunner } from "../../runners/create-runner.ts";
import { type ManagementOrder, orderManagement } from "../../runners/order-management.ts";
import { orderUpdate } from "../../runners/order-update.ts";
import { listRunners as findRunners } from "../../runners/queries.ts";
import type { RunnerRow } from "../../runners/row.ts";
import { pause, resume } from "../../runners/set-pause.ts";
import { setRunnerLifecycle as setLifecycle } from "../../runners/set-runner-lifecycle.ts";
import { showCard, showConnection } from "../../runners/show-card.ts";
import { prepareToShow, showRunner } from "../../runners/show-runner.ts";
import { updateRunner as renameRunner } from "../../runners/update-runner.ts";
import type { Actor } from "../../tokens/actor.ts";

/** /v1/runners and what is below one: create, list, show, change, disable, pause, and orders for its management */
export const keepRunners: RegisterRoutes = (app, broker) => {
  createRunner(app, broker);
  listRunners(app, broker);
  updateRunner(app, broker);
  setRunnerLifecycle(app, broker);
  pauseRunners(app, broker);
  manageRunner(app, broker);
  readRunnerCard(app, broker);
};

/** POST /v1/runners */
const createRunner: RegisterRoutes = (app, broker) => {
  app.openapi(createRunnerRoute, async (c) => {
    const actor = c.get("actor");
    const id = await makeRunner(broker.db, actor, c.req.valid("json"));
    return c.json(await showRunner(broker.db, actor, id), 201);
  });
};

/** GET /v1/runners */
const listRunners: RegisterRoutes = (app, broker) => {
  app.openapi(listRunnersRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const { after } = readPage({ cursor, limit }, filters);
    const { orgId, bound } = c.get("actor");
    const rows = await findRunners(broker.db, orgId, { filters, bound, after, limit: limit + 1 });
    const toItem = await prepareToShow(broker.db, orgId, rows);
    return c.json(toPage(c, rows, { limit, filters, toItem }), 200);
  });
};

/** GET /v1/runners/{runner_id}/connected, …/card-details */
const readRunnerCard: RegisterRoutes = (app, broker) => {
  app.openapi(getRunnerConnectionRoute, async (c) => {
    const { runner_id } = c.req.valid("param");
    return c.json(await showConnection(broker.db, c.get("actor").orgId, runner_id), 200);
  });
  app.openapi(getRunnerCardRoute, async (c) => {
    const { runner_id } = c.req.valid("param");
    return c.json(await showCard(broker.db, c.get("actor").orgId, runner_id), 200);
  });
};

/** PATCH /v1/runners/{runner_id} */
const updateRunner: RegisterRoutes = (app, broker) => {
  app.openapi(updateRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    const { orgId } = c.get("actor");
    await renameRunner(broker.db, orgId, { id, changes: c.req.valid("json") });
    return c.json(await showRunner(broker.db, c.get("actor"), id), 200);
  });
};

/** POST /v1/runners/{runner_id}/enable, …/disable, …/deprovision, DELETE /v1/runners/{runner_id} */
const setRunnerLifecycle: RegisterRoutes = (app, broker) => {
  app.openapi(enableRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    return c.json(await become(broker, c.get("actor"), { id, lifecycle: "enabled" }), 200);
  });
  app.openapi(disableRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    return c.json(await become(broker, c.get("actor"), { id, lifecycle: "disabled" }), 200);
  });
  app.openapi(deprovisionRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    return c.json(await become(broker, c.get("actor"), { id, lifecycle: "deprovisioned" }), 200);
  });
  app.openapi(deleteRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    await setLifecycle(broker, c.get("actor"), { id, lifecycle: "deleted" });
    return c.body(null, 204);
  });
};

async function become(
  broker: Broker,
  actor: Actor,
  to: { readonly id: string; readonly lifecycle: RunnerRow["lifecycle"] },
): Promise<Runner> {
  await setLifecycle(broker, actor, to);
  return showRunner(broker.db, actor, to.id);
}

/** POST /v1/runners/{runner_id}/pause, …/resume */
const pauseRunners: RegisterRoutes = (app, broker) => {
  app.openapi(pauseRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await pause(broker, actor, { id, ...c.req.valid("json") });
    return c.json(await showRunner(broker.db, actor, id), 200);
  });
  app.openapi(resumeRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await resume(broker, actor, { id, ...c.req.valid("json") });
    return c.json(await showRunner(broker.db, actor, id), 200);
  });
};

const orders = [
  [shutDownRunnerVmRoute, "mng-vm-shut-down"],
  [shutDownManagedRunnerRoute, "mng-shut-down"],
  [updateManagedRunnerRoute, "mng-runner-update-version"],
  [restartManagedRunnerRoute, "mng-runner-restart"],
] as const satisfies (readonly [unknown, ManagementOrder])[];

/** POST /v1/runners/{runner_id}/update-version, …/mng/shutdown-vm, …/shutdown, …/update, …/restart */
const manageRunner: RegisterRoutes = (app, broker) => {
  app.openapi(updateRunnerVersionRoute, async (c) => {
    const { deadline: deadlineNs, ...wish } = c.req.valid("json");
    const { runner_id: runnerId } = c.req.valid("param");
    return c.json(
      await orderUpdate(broker, c.get("actor"), runnerId, { ...wish, deadlineNs }),
      201,
    );
  });
  for (const [route, type] of orders) {
    app.openapi(route, async (c) => {
      const { runner_id: runnerId } = c.req.valid("param");
      const key = takeIdempotencyKey(c);
      const { deadline: deadlineNs, reason } = c.req.valid("json");
      const metadata = reason === "" ? undefined : { reason };
      const order = { runnerId, type, key, metadata, deadlineNs };
      const ordered = await orderManagement(broker, c.get("actor"), order);
      return c.json(showJobTo(c.get("actor"))(toRunnerJob(tellReplay(c, ordered).job)), 201);
    });
  }
};
