import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { openConnections, requestText } from "../http-client.ts";
import { cpuSeconds } from "./process-cpu.ts";
import { runClients } from "./run-clients.ts";

export type Floor = { readonly perS: number; readonly cpuUs: number };

/** POSTs a second that bare Hono takes from so many connections, and its CPU for one; the load comes from this process. */
export async function measureFloor(
  connections: number,
  { warmUpS, seconds }: { warmUpS: number; seconds: number },
): Promise<Floor> {
  const child = fork(path.join(import.meta.dirname, "floor-server.ts"));
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  const clients = await openConnections(url, connections);
  const request = requestText(
    "POST /v1/runners/run_1/jobs",
    "none",
    '{"type":"noop-deploy","operation":"exec"}',
  );
  await runClients(clients, warmUpS, (client) => client.send(request));
  const before = cpuSeconds(child.pid ?? 0);
  const floor = await runClients(clients, seconds, (client) => client.send(request));
  const cpuUs = ((cpuSeconds(child.pid ?? 0) - before) / floor.count) * 1e6;
  for (const client of clients) client.close();
  child.disconnect();
  await once(child, "exit");
  return { perS: floor.count / floor.seconds, cpuUs };
}
