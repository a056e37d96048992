import {
  getRunnerGroupSettingsRoute,
  getRunnerSettingsRoute,
} from "../../../shared/api/runner-settings.ts";
import { getRunnerRoute } from "../../../shared/api/runners.ts";
import { problem } from "../../../shared/problem.ts";
import { answer } from "../../http/answer/answer.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { findGroupSettings, findRunnerSettings } from "../../runner-groups/queries.ts";
import { toRunnerSettings } from "../../runner-groups/settings.ts";
import { showRunner } from "../../runners/show-runner.ts";

/** GET /v1/runners/{runner_id}, …/settings, GET /v1/runner-groups/{runner_group_id}/settings */
export const readRunner: RegisterRoutes = (app, broker) => {
  app.handle(
    getRunnerRoute,
    async ({ actor, params: { runner_id } }) => await showRunner(broker.db, actor, runner_id),
  );
  app.handle(getRunnerSettingsRoute, async ({ c, orgId, params: { runner_id } }) => {
    const row = await findRunnerSettings(broker.db, orgId, runner_id);
    if (row === undefined) throw problem.notFound("runner");
    if (hasVersion(c, row.version)) return answer(304);
    return answer(200, toRunnerSettings(row));
  });
  app.handle(getRunnerGroupSettingsRoute, async ({ c, orgId, params: { runner_group_id } }) => {
    const row = await findGroupSettings(broker.db, orgId, runner_group_id);
    if (row === undefined) throw problem.notFound("runner group");
    if (hasVersion(c, row.version)) return answer(304);
    return answer(200, toRunnerSettings(row));
  });
};
