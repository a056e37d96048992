import { getProcessRoute, listProcessesRoute } from "../../../shared/api/runner-process.ts";
import { problem } from "../../../shared/problem.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { listProcesses } from "../../processes/queries.ts";
import { showProcess, showProcesses } from "../../processes/show-processes.ts";
import { findRunner } from "../../runners/queries.ts";

/** GET /v1/runners/{runner_id}/processes, GET /v1/runners/{runner_id}/processes/{process_id} */
export const readProcesses: RegisterRoutes = (app, broker) => {
  app.openapi(listProcessesRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { runner_id: runnerId } = c.req.valid("param");
    const { cursor, limit, alive, ...wanted } = c.req.valid("query");
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
    return c.json({ items, next_cursor: page.next_cursor }, 200);
  });

  app.openapi(getProcessRoute, async (c) => {
    const { runner_id: runnerId, process_id: processId } = c.req.valid("param");
    const { orgId } = c.get("actor");
    return c.json(await showProcess(broker.db, { orgId, runnerId, processId }), 200);
  });
};
