import { describe, expect, test } from "vitest";
import type { SignalGraph } from "../../../shared/api/follow-signals.ts";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import {
  claimSignals,
  type GivenQueue,
  givenQueue,
  reportSignal,
} from "../../support/queues/given-signals.ts";
import { givenSignalsApi } from "../../support/queues/signals-api.ts";

const { db, call, mine, enqueue } = await givenSignalsApi();
const at = (queue: GivenQueue, id: string) => `/v1/queues/${queue.queueId}/signals/${id}`;
const wait = (queue: GivenQueue, id: string, query: string) =>
  call<QueueSignal>(`GET ${at(queue, id)}/await${query}`);
const graph = async (queue: GivenQueue, id: string, query = "") =>
  (await call<SignalGraph>(`GET ${at(queue, id)}/graph${query}`)).body;

async function finishNext(queue: GivenQueue): Promise<void> {
  const [claimed] = await claimSignals(db, queue);
  if (claimed === undefined) throw new Error("there is nothing to claim");
  await reportSignal(db, queue, claimed, "finish");
}

describe("the wait for a signal", () => {
  test("is over when it has ended", async () => {
    const queue = await mine();
    const { id } = (await enqueue(queue, { type: "work", signal: { a: 1 } })).body;
    const waiting = wait(queue, id, "?timeout=25s");
    await finishNext(queue);
    expect(await waiting).toMatchObject({
      status: 200,
      body: { id, status: { status: "finished" }, signal: { a: 1 } },
    });
    expect((await wait(queue, id, "")).body.status.status).toBe("finished");
  });

  test("is over when its time is, in seconds or as a duration", async () => {
    const queue = await mine();
    const { id } = (await enqueue(queue, { type: "work" })).body;
    for (const query of ["?timeout=1", "?timeout=10ms", "?wait=10ms&timeout=20"])
      expect((await wait(queue, id, query)).body.status.status).toBe("queued");
    expect(await wait(queue, id, "?timeout=soon")).toMatchObject({
      status: 400,
      body: { code: "invalid_duration", errors: [{ pointer: "?timeout" }] },
    });
  });

  test("finds no signal of another queue, nor of another org", async () => {
    const [queue, other] = [await mine(), await mine()];
    const { id } = (await enqueue(queue, { type: "work" })).body;
    const theirs = await givenQueue(db);
    for (const one of [other, theirs])
      for (const what of ["await", "graph"])
        expect(await call(`GET ${at(one, id)}/${what}`)).toMatchObject({ status: 404 });
  });
});

describe("the graph of a signal", () => {
  const step = (queue: GivenQueue, type: string, more: object = {}) => ({
    on: ["finished"],
    signal: { queue_id: queue.queueId, type, ...more },
  });

  test("has what follows it, and what follows that, once it is there", async () => {
    const [queue, next] = [await mine(), await mine()];
    const call = { on: ["dead"], http_call: { url: "https://example.com/hook" } };
    const body = { type: "first", callbacks: [step(next, "second"), call] };
    const { id } = (await enqueue(queue, body)).body;
    const before = await graph(queue, id);
    expect(before).toMatchObject({ root: id, has_more: false });
    expect(before.nodes.map(({ kind, depth, status }) => [kind, depth, status])).toEqual([
      ["signal", 0, "queued"],
      ["signal", 1, "waiting"],
      ["http-call", 1, "waiting"],
    ]);
    await finishNext(queue);
    const after = await graph(queue, id);
    expect(after.nodes.map(({ type, depth, status }) => [type, depth, status])).toEqual([
      ["first", 0, "finished"],
      ["second", 1, "queued"],
      [undefined, 1, "skipped"],
    ]);
    const [first, second] = after.nodes;
    expect(after.edges[0]).toEqual({
      from: first?.id,
      to: second?.id,
      n: 1,
      on: ["finished"],
      status: "done",
    });
  });

  test("goes as deep as is asked, and says that there is more", async () => {
    const queue = await mine();
    const { id } = (await enqueue(queue, { type: "first", callback: step(queue, "second") })).body;
    const shallow = await graph(queue, id, "?depth=0");
    expect(shallow).toMatchObject({ nodes: [{ id }], edges: [], has_more: true });
    expect(await call(`GET ${at(queue, id)}/graph?depth=11`)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "?depth" }] },
    });
  });
});
