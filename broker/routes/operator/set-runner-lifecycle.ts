import type { Runner } from "../../../shared/api/runner.ts";
import {
  deleteRunnerRoute,
  deprovisionRunnerRoute,
  disableRunnerRoute,
  enableRunnerRoute,
} from "../../../shared/api/runners.ts";
import type { Broker } from "../../broker.ts";
import type { Door } from "../../http/app-types.ts";
import type { RunnerRow } from "../../runners/row.ts";
import { setRunnerLifecycle as set } from "../../runners/set-runner-lifecycle.ts";
import { showRunner } from "../../runners/show-runner.ts";
import type { Actor } from "../../tokens/actor.ts";

/** POST /v1/runners/{runner_id}/enable, …/disable, …/deprovision, DELETE /v1/runners/{runner_id} */
export const setRunnerLifecycle: Door = (app, broker) => {
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
    await set(broker, c.get("actor"), { id, lifecycle: "deleted" });
    return c.body(null, 204);
  });
};

async function become(
  broker: Broker,
  actor: Actor,
  to: { readonly id: string; readonly lifecycle: RunnerRow["lifecycle"] },
): Promise<Runner> {
  await set(broker, actor, to);
  return showRunner(broker.db, actor.orgId, to.id);
}
