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
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answerShape } from "../../http/answer/answer-shape.ts";
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
  app.handle(createRunnerRoute, async ({ actor, body }) => {
    const id = await makeRunner(broker.db, actor, body);
    return await showRunner(broker.db, actor, id);
  });
};

/** GET /v1/runners */
const listRunners: RegisterRoutes = (app, broker) => {
  app.handle(listRunnersRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page, filters] = splitQuery(query);
    return await answerList(c, page, {
      filters,
      read: (request) => findRunners(broker.db, orgId, { filters, bound, ...request }),
      toItems: async (rows) => rows.map(await prepareToShow(broker.db, orgId, rows)),
    });
  });
};

/** GET /v1/runners/{runner_id}/connected, …/card-details */
const readRunnerCard: RegisterRoutes = (app, broker) => {
  app.handle(
    getRunnerConnectionRoute,
    async ({ orgId, params: { runner_id } }) => await showConnection(broker.db, orgId, runner_id),
  );
  app.handle(
    getRunnerCardRoute,
    async ({ actor, params: { runner_id } }) => await showCard(broker.db, actor, runner_id),
  );
};

/** PATCH /v1/runners/{runner_id} */
const updateRunner: RegisterRoutes = (app, broker) => {
  app.handle(updateRunnerRoute, async ({ actor, orgId, params: { runner_id: id }, body }) => {
    await renameRunner(broker.db, orgId, { id, changes: body });
    return await showRunner(broker.db, actor, id);
  });
};

/** POST /v1/runners/{runner_id}/enable, …/disable, …/deprovision, DELETE /v1/runners/{runner_id} */
const setRunnerLifecycle: RegisterRoutes = (app, broker) => {
  app.handle(
    enableRunnerRoute,
    async ({ actor, params: { runner_id: id } }) =>
      await become(broker, actor, { id, lifecycle: "enabled" }),
  );
  app.handle(
    disableRunnerRoute,
    async ({ actor, params: { runner_id: id } }) =>
      await become(broker, actor, { id, lifecycle: "disabled" }),
  );
  app.handle(
    deprovisionRunnerRoute,
    async ({ actor, params: { runner_id: id } }) =>
      await become(broker, actor, { id, lifecycle: "deprovisioned" }),
  );
  app.handle(deleteRunnerRoute, async ({ actor, params: { runner_id: id } }) => {
    await setLifecycle(broker, actor, { id, lifecycle: "deleted" });
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
  app.handle(pauseRunnerRoute, async ({ actor, params: { runner_id: id }, body }) => {
    await pause(broker, actor, { id, ...body });
    return await showRunner(broker.db, actor, id);
  });
  app.handle(resumeRunnerRoute, async ({ actor, params: { runner_id: id }, body }) => {
    await resume(broker, actor, { id, ...body });
    return await showRunner(broker.db, actor, id);
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
  app.handle(updateRunnerVersionRoute, async ({ actor, params: { runner_id: runnerId }, body }) => {
    const { deadline: deadlineNs, ...wish } = body;
    return await orderUpdate(broker, actor, runnerId, { ...wish, deadlineNs });
  });
  for (const [route, type] of orders) {
    app.handle(route, async ({ c, actor, params: { runner_id: runnerId }, body }) => {
      const key = takeIdempotencyKey(c);
      const { deadline: deadlineNs, reason } = body;
      const metadata = reason === "" ? undefined : { reason };
      const order = { runnerId, type, key, metadata, deadlineNs };
      const ordered = await orderManagement(broker, actor, order);
      const job = showJobTo(actor)(toRunnerJob(tellReplay(c, ordered).job));
      return route === updateManagedRunnerRoute ? answerShape(c, job, () => true) : job;
    });
  }
};
