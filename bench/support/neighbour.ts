import { setTimeout as pause } from "node:timers/promises";
import { openConnection, requestText } from "../http-client.ts";
import type { Fleet } from "./given-fleet.ts";
import { residentBytes } from "./process-memory.ts";

export type NeighbourSeen = {
  readonly latencies: number[];
  readonly failures: number;
  /** The broker's resident memory, once a second. */
  readonly residentMb: number[];
};

const restMs = 20;

/** Another org's everyday: beats, reads, small enqueues, one after the other, until told; each is timed. */
export async function watchNeighbour(
  { url, pid }: { readonly url: string; readonly pid: number },
  fleet: Fleet,
  isOver: () => boolean,
): Promise<NeighbourSeen> {
  const [agent] = fleet.agents;
  if (agent === undefined) throw new Error("the neighbour has no runner");
  const runner = `/v1/runners/${agent.runnerId}`;
  const beat = JSON.stringify({
    alive_time: 1,
    version: "1",
    process: "install",
    process_id: agent.processId,
  });
  const asked = [
    requestText(`POST ${runner}/heart-beats`, agent.token, beat),
    requestText(`GET ${runner}`, fleet.adminToken),
    requestText(`POST ${runner}/jobs`, fleet.adminToken, '{"type":"noop-deploy"}'),
  ];
  const connection = await openConnection(url);
  const seen = { latencies: [] as number[], failures: 0, residentMb: [] as number[] };
  let sampledAtMs = 0;
  for (let nth = 0; !isOver(); nth++) {
    const startedAtMs = performance.now();
    const { status } = await connection.send(asked[nth % asked.length] ?? "");
    seen.latencies.push(performance.now() - startedAtMs);
    if (status >= 300) seen.failures += 1;
    if (startedAtMs - sampledAtMs > 1000) {
      seen.residentMb.push(residentBytes(pid) / 1024 ** 2);
      sampledAtMs = startedAtMs;
    }
    await pause(restMs);
  }
  connection.close();
  return seen;
}
