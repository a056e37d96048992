import { getProcessRoute, listProcessesRoute } from "../../../shared/api/runner-process.ts";
import { problem } from "../../../shared/problem.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { listProcesses } from "../../processes/queries.ts";
import { showProcess, showProcesses } from "../../processes/show-processes.ts";
import { findRunner } from "../../runners/queries.ts";

/** GET /v1/runners/{runner_id}/processes, GET /v1/runners/{runner_id}/processes/{process_id} */
export const readProcesses: RegisterRoutes = (app, broker) => {
  app.handle(listProcessesRoute, async ({ c, orgId, params: { runner_id: runnerId }, query }) => {
    const { cursor, limit, alive, ...wanted } = query;
    const isAlive = alive === undefined ? undefined : alive === "true";
    const filters = { runnerId, isAlive, ...wanted };
    const rows = await listProcesses(
      broker.db,
      orgId,
      filters,
      readPage({ cursor, limit }, filters),
    );
    if (rows.length === 0 && (await findRunner(broker.db, orgId, runnerId)) === undefined) {
      throw problem.notFound("runner");
    }
    const page = toPage(c, rows, { limit, filters, toItem: (row) => row });
    const items = await showProcesses(broker.db, orgId, page.items);
    return { items, next_cursor: page.next_cursor };
  });

  app.handle(getProcessRoute, async ({ orgId, params }) => {
    const { runner_id: runnerId, process_id: processId } = params;
    return await showProcess(broker.db, { orgId, runnerId, processId });
  });
};
