import {
  updateRunnerGroupSettingsRoute,
  updateRunnerSettingsRoute,
} from "../../../shared/api/runner-settings.ts";
import { problem } from "../../../shared/problem.ts";
import { hasVersion, requiredVersion } from "../../http/answer/etag.ts";
import type { Door } from "../../http/app-types.ts";
import { findRunnerSettings } from "../../runner-groups/queries.ts";
import { toRunnerSettings } from "../../runner-groups/settings.ts";
import { updateRunnerSettings as update } from "../../runner-groups/update-runner-settings.ts";

/** PATCH /v1/runner-groups/{runner_group_id}/settings, PATCH /v1/runners/{runner_id}/settings */
export const updateRunnerSettings: Door = (app, broker) => {
  app.openapi(updateRunnerGroupSettingsRoute, async (c) => {
    const { runner_group_id: groupId } = c.req.valid("param");
    const change = { groupId, changes: c.req.valid("json"), version: requiredVersion(c) };
    const row = await update(broker, c.get("actor").orgId, change);
    hasVersion(c, row.version);
    return c.json(toRunnerSettings(row), 200);
  });
  app.openapi(updateRunnerSettingsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const present = await findRunnerSettings(broker.db, orgId, c.req.valid("param").runner_id);
    if (present === undefined) throw problem.notFound("runner");
    const { runner_group_id: groupId } = present;
    const change = { groupId, changes: c.req.valid("json"), version: requiredVersion(c) };
    const row = await update(broker, orgId, change);
    hasVersion(c, row.version);
    return c.json(toRunnerSettings(row), 200);
  });
};
