import { listShutdownsRoute } from "../../../shared/api/runner-process-shutdown.ts";
import { problem } from "../../../shared/problem.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { limitByAddress } from "../../http/limits/limit-by-address.ts";
import { makeListBriefShutdowns } from "../../processes/list-brief-shutdowns.ts";

/** Many processes may look from behind one address, every few seconds each. */
const perAddressPerS = 200;

/** GET /v1/runners/{runner_id}/processes/{process_id}/shutdowns */
export const listShutdowns: RegisterRoutes = (app, broker) => {
  const list = makeListBriefShutdowns(broker.db);
  const take = limitByAddress(broker, perAddressPerS);
  app.handle(listShutdownsRoute, async ({ c, params }) => {
    take(c);
    const { runner_id: runnerId, process_id: processId } = params;
    const shutdowns = await list({ runnerId, processId });
    if (shutdowns === undefined) throw problem.notFound("process");
    return [...shutdowns];
  });
};
