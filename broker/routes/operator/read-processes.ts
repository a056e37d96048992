import {
  getProcessRoute,
  listCurrentProcessesRoute,
  listProcessesRoute,
} from "../../../shared/api/runner-process.ts";
import { problem } from "../../../shared/problem.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { listProcesses } from "../../processes/queries.ts";
import { showProcess, showProcesses } from "../../processes/show-processes.ts";
import { findRunner } from "../../runners/queries.ts";

const mostCurrent = 100;

/** GET /v1/runners/{runner_id}/processes, …/current, GET /v1/runners/{runner_id}/processes/{process_id} */
export const readProcesses: RegisterRoutes = (app, broker) => {
  app.handle(listProcessesRoute, async ({ c, orgId, params: { runner_id: runnerId }, query }) => {
    const [page, { alive, ...wanted }] = splitQuery(query);
    const isAlive = alive === undefined ? undefined : alive === "true";
    const filters = { runnerId, isAlive, ...wanted };
    return await answerList(c, page, {
      filters,
      read: async (request) => {
        const rows = await listProcesses(broker.db, orgId, filters, request);
        if (rows.length > 0 || (await findRunner(broker.db, orgId, runnerId)) !== undefined)
          return rows;
        throw problem.notFound("runner");
      },
      toItems: (rows) => showProcesses(broker.db, orgId, rows),
    });
  });

  app.handle(listCurrentProcessesRoute, async ({ orgId, params: { runner_id: runnerId } }) => {
    const wanted = { runnerId, isAlive: true };
    const page = { after: undefined, limit: mostCurrent - 1, offset: 0 };
    const rows = await listProcesses(broker.db, orgId, wanted, page);
    if (rows.length === 0 && (await findRunner(broker.db, orgId, runnerId)) === undefined) {
      throw problem.notFound("runner");
    }
    return await showProcesses(broker.db, orgId, rows);
  });

  app.handle(getProcessRoute, async ({ orgId, params }) => {
    const { runner_id: runnerId, process_id: processId } = params;
    return await showProcess(broker.db, { orgId, runnerId, processId });
  });
};
