import type { Polling } from "../broker/given-polling.ts";
import { givenToken } from "../rows/given-token.ts";
import { type GivenQueue, givenQueue } from "./given-signals.ts";
import { type HttpWorker, httpWorker } from "./http-worker.ts";

export type GivenWorkers = {
  readonly queue: GivenQueue;
  readonly token: string;
  readonly here: HttpWorker;
  readonly there: HttpWorker;
};

/** A queue with these bounds, and a worker of it at each of two brokers. */
export async function givenWorkers(
  { db, brokers }: Polling,
  given: Parameters<typeof givenQueue>[1] = {},
): Promise<GivenWorkers> {
  const queue = await givenQueue(db, given);
  const token = await givenToken(db, { orgId: queue.orgId });
  const [here, there] = brokers.map(({ url }) => httpWorker(url, { ...queue, token }));
  if (here === undefined || there === undefined) throw new Error("there are two brokers");
  return { queue, token, here, there };
}

/** Tells every broker that the queue may have signals. */
export function wakeClaims({ brokers }: Polling, { queueId }: GivenQueue): void {
  brokers[0].broker.wakes.notify([`signals:${queueId}`]);
}

/** How many claims of a queue are parked at a broker. */
export function parkedClaims({ brokers }: Polling, nth: 0 | 1, { queueId }: GivenQueue): number {
  return brokers[nth].broker.signalClaims.dispatcher.parked.countOfQueue(queueId);
}
