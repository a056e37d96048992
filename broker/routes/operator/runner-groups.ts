import {
  createRunnerGroupRoute,
  deleteRunnerGroupRoute,
  getRunnerGroupRoute,
  listRunnerGroupsRoute,
  pauseRunnerGroupRoute,
  resumeRunnerGroupRoute,
  updateRunnerGroupRoute,
} from "../../../shared/api/runner-groups.ts";
import {
  updateRunnerGroupSettingsRoute,
  updateRunnerSettingsRoute,
} from "../../../shared/api/runner-settings.ts";
import { problem } from "../../../shared/problem.ts";
import { hasVersion, requiredVersion } from "../../http/answer/etag.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { createRunnerGroup as makeGroup } from "../../runner-groups/create-runner-group.ts";
import { deleteRunnerGroup as deleteGroup } from "../../runner-groups/delete-runner-group.ts";
import { findRunnerSettings, listRunnerGroups } from "../../runner-groups/queries.ts";
import { toRunnerSettings } from "../../runner-groups/settings.ts";
import { prepareToList, showRunnerGroup } from "../../runner-groups/show-runner-group.ts";
import { updateRunnerGroup as updateGroup } from "../../runner-groups/update-runner-group.ts";
import { updateRunnerSettings as changeSettings } from "../../runner-groups/update-runner-settings.ts";
import { pause, resume } from "../../runners/set-pause.ts";

/** /v1/runner-groups, and all below one but its settings */
export const keepRunnerGroups: RegisterRoutes = (app, broker) => {
  createRunnerGroup(app, broker);
  readRunnerGroups(app, broker);
  updateRunnerGroup(app, broker);
  deleteRunnerGroup(app, broker);
  pauseRunnerGroups(app, broker);
};

/** POST /v1/runner-groups */
const createRunnerGroup: RegisterRoutes = (app, broker) => {
  app.openapi(createRunnerGroupRoute, async (c) => {
    const actor = c.get("actor");
    const id = await makeGroup(broker.db, actor, c.req.valid("json"));
    return c.json(await showRunnerGroup(broker.db, actor.orgId, id), 201);
  });
};

/** GET /v1/runner-groups, GET /v1/runner-groups/{runner_group_id} */
const readRunnerGroups: RegisterRoutes = (app, broker) => {
  app.openapi(listRunnerGroupsRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const { after } = readPage({ cursor, limit }, filters);
    const { orgId, bound } = c.get("actor");
    const asked = { filters, bound, after, limit: limit + 1 };
    const rows = await listRunnerGroups(broker.db, orgId, asked);
    const toItem = await prepareToList(broker.db, orgId, rows.slice(0, limit));
    return c.json(toPage(c, rows, { limit, filters, toItem }), 200);
  });
  app.openapi(getRunnerGroupRoute, async (c) => {
    const { runner_group_id } = c.req.valid("param");
    return c.json(await showRunnerGroup(broker.db, c.get("actor").orgId, runner_group_id), 200);
  });
};

/** PATCH /v1/runner-groups/{runner_group_id} */
const updateRunnerGroup: RegisterRoutes = (app, broker) => {
  app.openapi(updateRunnerGroupRoute, async (c) => {
    const { runner_group_id: id } = c.req.valid("param");
    const { orgId } = c.get("actor");
    await updateGroup(broker, orgId, { id, changes: c.req.valid("json") });
    return c.json(await showRunnerGroup(broker.db, orgId, id), 200);
  });
};

/** DELETE /v1/runner-groups/{runner_group_id} */
const deleteRunnerGroup: RegisterRoutes = (app, broker) => {
  app.openapi(deleteRunnerGroupRoute, async (c) => {
    await deleteGroup(broker.db, c.get("actor").orgId, c.req.valid("param").runner_group_id);
    return c.body(null, 204);
  });
};

/** POST /v1/runner-groups/{runner_group_id}/pause, …/resume */
const pauseRunnerGroups: RegisterRoutes = (app, broker) => {
  app.openapi(pauseRunnerGroupRoute, async (c) => {
    const { runner_group_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await pause(broker, actor, { id, ...c.req.valid("json") });
    return c.json(await showRunnerGroup(broker.db, actor.orgId, id), 200);
  });
  app.openapi(resumeRunnerGroupRoute, async (c) => {
    const { runner_group_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await resume(broker, actor, { id, ...c.req.valid("json") });
    return c.json(await showRunnerGroup(broker.db, actor.orgId, id), 200);
  });
};

/** PATCH /v1/runner-groups/{runner_group_id}/settings, PATCH /v1/runners/{runner_id}/settings */
export const updateRunnerSettings: RegisterRoutes = (app, broker) => {
  app.openapi(updateRunnerGroupSettingsRoute, async (c) => {
    const { runner_group_id: groupId } = c.req.valid("param");
    const change = { groupId, changes: c.req.valid("json"), version: requiredVersion(c) };
    const row = await changeSettings(broker, c.get("actor").orgId, change);
    hasVersion(c, row.version);
    return c.json(toRunnerSettings(row), 200);
  });
  app.openapi(updateRunnerSettingsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const present = await findRunnerSettings(broker.db, orgId, c.req.valid("param").runner_id);
    if (present === undefined) throw problem.notFound("runner");
    const { runner_group_id: groupId } = present;
    const change = { groupId, changes: c.req.valid("json"), version: requiredVersion(c) };
    const row = await changeSettings(broker, orgId, change);
    hasVersion(c, row.version);
    return c.json(toRunnerSettings(row), 200);
  });
};
