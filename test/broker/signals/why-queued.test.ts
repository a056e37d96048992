import { describe, expect, test } from "vitest";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import { claimSignals, type GivenQueue, reportSignal } from "../../support/queues/given-signals.ts";
import { givenSignalsApi } from "../../support/queues/signals-api.ts";

const { db, call, mine, enqueue } = await givenSignalsApi();

const add = async (queue: GivenQueue, type: string) => (await enqueue(queue, { type })).body.id;

async function waitsOf(id: string) {
  const { body } = await call<QueueSignal>(`GET /v1/signals/${id}`);
  return body.waits;
}

describe("why a signal waits", () => {
  test("is told of the first in line, for which no worker came, and of those behind it", async () => {
    const queue = await mine();
    const [first, second] = [await add(queue, "deploy"), await add(queue, "report")];
    expect(await waitsOf(first)).toEqual({
      reason: "no-worker",
      description: "no worker has claimed it (type deploy)",
      behind: [],
    });
    expect(await waitsOf(second)).toEqual({
      reason: "in-line",
      description: `${first} (type deploy) is first in line, and no worker has claimed it`,
      behind: [{ id: first, type: "deploy", status: "queued", worker: null, lease_until: null }],
    });
  });

  test("is who has its place, and until when", async () => {
    const queue = await mine();
    const [first, second] = [await add(queue, "deploy"), await add(queue, "deploy")];
    const [claimed] = await claimSignals(db, queue);
    const { body: held } = await call<QueueSignal>(`GET /v1/signals/${first}`);
    expect(held).toMatchObject({ worker: "worker" });
    expect(held).not.toHaveProperty("waits");
    const until = held.lease_until ?? "no lease";
    expect(await waitsOf(second)).toEqual({
      reason: "no-place",
      description: `the one place of its queue is taken: ${first} (deploy) is in flight: worker, lease until ${until}`,
      behind: [
        { id: first, type: "deploy", status: "in-flight", worker: "worker", lease_until: until },
      ],
    });
    await reportSignal(db, queue, claimed ?? { id: "", lease_id: null }, "fail");
    expect(await waitsOf(second)).toMatchObject({
      reason: "no-place",
      behind: [{ id: first, status: "retrying", lease_until: null }],
    });
  });

  test("names five of many that are before it", async () => {
    const queue = await mine({ maxInFlight: 6 });
    for (let n = 0; n < 6; n++) await add(queue, "deploy");
    const last = await add(queue, "deploy");
    await claimSignals(db, queue, 6);
    const waits = await waitsOf(last);
    expect(waits?.behind).toHaveLength(5);
    expect(waits?.description).toMatch(/^all 6 places of its queue are taken: .+; and others$/);
  });

  test("is a pause of its queue, and nothing once it has ended", async () => {
    const queue = await mine();
    const id = await add(queue, "deploy");
    await call(`POST /v1/queues/${queue.queueId}/pause`, { body: {} });
    expect(await waitsOf(id)).toMatchObject({ reason: "queue-paused", behind: [] });
    await call(`POST /v1/signals/${id}/cancel`, { body: {} });
    expect(await waitsOf(id)).toBeUndefined();
  });
});
