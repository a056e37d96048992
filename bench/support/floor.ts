import { openConnections, requestText } from "../http-client.ts";
import { type Contestant, loadGenerator } from "./in-turns.ts";
import { startBareHono } from "./peers.ts";
import { runClients } from "./run-clients.ts";

/** What HTTP with JSON costs by itself: POSTs to bare Hono over so many connections, from this process. */
export async function openFloor(
  count: number,
): Promise<Contestant & { readonly close: () => Promise<void> }> {
  const server = await startBareHono();
  const connections = await openConnections(server.url, count);
  const request = requestText(
    "POST /v1/runners/run_1/jobs",
    "none",
    '{"type":"noop-deploy","operation":"exec"}',
  );
  return {
    work: (seconds) => runClients(connections, seconds, ({ send }) => send(request)),
    pids: { server: server.pid, [loadGenerator]: process.pid },
    close: async () => {
      for (const { close } of connections) close();
      await server.stop();
    },
  };
}
