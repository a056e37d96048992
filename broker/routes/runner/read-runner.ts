import {
  getRunnerGroupSettingsRoute,
  getRunnerSettingsRoute,
} from "../../../shared/api/runner-settings.ts";
import { getRunnerRoute } from "../../../shared/api/runners.ts";
import { problem } from "../../../shared/problem.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { findGroupSettings, findRunnerSettings } from "../../runner-groups/queries.ts";
import { toRunnerSettings } from "../../runner-groups/settings.ts";
import { showRunner } from "../../runners/show-runner.ts";

/** GET /v1/runners/{runner_id}, …/settings, GET /v1/runner-groups/{runner_group_id}/settings */
export const readRunner: RegisterRoutes = (app, broker) => {
  app.openapi(getRunnerRoute, async (c) => {
    const { runner_id } = c.req.valid("param");
    return c.json(await showRunner(broker.db, c.get("actor"), runner_id), 200);
  });
  app.openapi(getRunnerSettingsRoute, async (c) => {
    const { runner_id } = c.req.valid("param");
    const row = await findRunnerSettings(broker.db, c.get("actor").orgId, runner_id);
    if (row === undefined) throw problem.notFound("runner");
    if (hasVersion(c, row.version)) return c.body(null, 304);
    return c.json(toRunnerSettings(row), 200);
  });
  app.openapi(getRunnerGroupSettingsRoute, async (c) => {
    const { runner_group_id } = c.req.valid("param");
    const row = await findGroupSettings(broker.db, c.get("actor").orgId, runner_group_id);
    if (row === undefined) throw problem.notFound("runner group");
    if (hasVersion(c, row.version)) return c.body(null, 304);
    return c.json(toRunnerSettings(row), 200);
  });
};
