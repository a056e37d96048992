import {
  cancelRolloutRoute,
  createRolloutRoute,
  listRolloutProcessesRoute,
} from "../../../shared/api/rollouts.ts";
import { problem } from "../../../shared/problem.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { cancelRollout } from "../../rollouts/cancel-rollout.ts";
import { createRollout } from "../../rollouts/create-rollout.ts";
import { listRolloutTargets } from "../../rollouts/queries.ts";
import { findRollout, rolloutRows } from "../../rollouts/rollout-rows.ts";
import { toRolloutTarget } from "../../rollouts/to-rollout.ts";

/** POST, GET /v1/runner-rollouts; GET /v1/runner-rollouts/{rollout_id}, …/processes; POST …/cancel */
export const keepRollouts: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(createRolloutRoute, async ({ actor, body }) => {
    const rollout = await createRollout(db, actor, {
      groupId: body.runner_group_id,
      type: body.type,
      maxAtOnce: body.max_at_once,
      includeLast: body.include_last,
      deadlineNs: body.deadline,
      reason: body.reason,
    });
    return rolloutRows.toItem(rollout);
  });

  app.handle(cancelRolloutRoute, async ({ actor, params: { rollout_id: id } }) =>
    rolloutRows.toItem(await cancelRollout(db, actor, id)),
  );

  openResource(app, broker, rolloutRows);

  app.handle(listRolloutProcessesRoute, async ({ c, orgId, params: { rollout_id: id }, query }) => {
    const [page, { status }] = splitQuery(query);
    if ((await findRollout(db, orgId, id)) === undefined) throw problem.notFound("rollout");
    return await answerList(c, page, {
      filters: { id, status },
      read: (request: ListRequest) =>
        listRolloutTargets(db, orgId, { rolloutId: id, status }, request),
      toItem: toRolloutTarget,
    });
  });
};
