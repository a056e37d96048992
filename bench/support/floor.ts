import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { openConnections, requestText } from "../http-client.ts";
import { runClients } from "./run-clients.ts";

/** POSTs a second that bare Hono takes from so many connections; the load comes from this process. */
export async function measureFloor(
  connections: number,
  { warmUpS, seconds }: { warmUpS: number; seconds: number },
): Promise<number> {
  const child = fork(path.join(import.meta.dirname, "floor-server.ts"));
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  const clients = await openConnections(url, connections);
  const request = requestText(
    "POST /v1/runners/run_1/jobs",
    "none",
    '{"type":"noop-deploy","operation":"exec"}',
  );
  await runClients(clients, warmUpS, (client) => client.send(request));
  const floor = await runClients(clients, seconds, (client) => client.send(request));
  for (const client of clients) client.close();
  child.disconnect();
  await once(child, "exit");
  return floor.count / floor.seconds;
}
