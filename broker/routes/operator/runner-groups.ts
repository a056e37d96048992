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
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { hasVersion } from "../../http/answer/etag.ts";
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
  app.handle(createRunnerGroupRoute, async ({ actor, body }) => {
    const id = await makeGroup(broker.db, actor, body);
    return await showRunnerGroup(broker.db, actor.orgId, id);
  });
};

/** GET /v1/runner-groups, GET /v1/runner-groups/{runner_group_id} */
const readRunnerGroups: RegisterRoutes = (app, broker) => {
  app.handle(listRunnerGroupsRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page, filters] = splitQuery(query);
    return await answerList(c, page, {
      filters,
      read: (request) => listRunnerGroups(broker.db, orgId, { filters, bound, ...request }),
      toItems: async (rows) => rows.map(await prepareToList(broker.db, orgId, rows)),
    });
  });
  app.handle(
    getRunnerGroupRoute,
    async ({ orgId, params: { runner_group_id } }) =>
      await showRunnerGroup(broker.db, orgId, runner_group_id),
  );
};

/** PATCH /v1/runner-groups/{runner_group_id} */
const updateRunnerGroup: RegisterRoutes = (app, broker) => {
  app.handle(updateRunnerGroupRoute, async ({ orgId, params: { runner_group_id: id }, body }) => {
    await updateGroup(broker, orgId, { id, changes: body });
    return await showRunnerGroup(broker.db, orgId, id);
  });
};

/** DELETE /v1/runner-groups/{runner_group_id} */
const deleteRunnerGroup: RegisterRoutes = (app, broker) => {
  app.handle(deleteRunnerGroupRoute, async ({ orgId, params }) => {
    await deleteGroup(broker.db, orgId, params.runner_group_id);
  });
};

/** POST /v1/runner-groups/{runner_group_id}/pause, …/resume */
const pauseRunnerGroups: RegisterRoutes = (app, broker) => {
  app.handle(pauseRunnerGroupRoute, async ({ actor, params: { runner_group_id: id }, body }) => {
    await pause(broker, actor, { id, ...body });
    return await showRunnerGroup(broker.db, actor.orgId, id);
  });
  app.handle(resumeRunnerGroupRoute, async ({ actor, params: { runner_group_id: id }, body }) => {
    await resume(broker, actor, { id, ...body });
    return await showRunnerGroup(broker.db, actor.orgId, id);
  });
};

/** PATCH /v1/runner-groups/{runner_group_id}/settings, PATCH /v1/runners/{runner_id}/settings */
export const updateRunnerSettings: RegisterRoutes = (app, broker) => {
  app.handle(
    updateRunnerGroupSettingsRoute,
    async ({ c, orgId, params: { runner_group_id: groupId }, body, requiredVersion }) => {
      const change = { groupId, changes: body, version: requiredVersion() };
      const row = await changeSettings(broker, orgId, change);
      hasVersion(c, row.version);
      return toRunnerSettings(row);
    },
  );
  app.handle(updateRunnerSettingsRoute, async ({ c, orgId, params, body, requiredVersion }) => {
    const present = await findRunnerSettings(broker.db, orgId, params.runner_id);
    if (present === undefined) throw problem.notFound("runner");
    const { runner_group_id: groupId } = present;
    const change = { groupId, changes: body, version: requiredVersion() };
    const row = await changeSettings(broker, orgId, change);
    hasVersion(c, row.version);
    return toRunnerSettings(row);
  });
};
