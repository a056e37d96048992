import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../../client/create-client.ts";
import type { ClaimedSignal } from "../../client/worker/claimed-signal.ts";
import { SignalFailure } from "../../client/worker/signal-failure.ts";
import type { WorkerOptions } from "../../client/worker/worker-options.ts";
import { Worker } from "../../client/worker/worker.ts";
import { advanceClock } from "../support/database/clock.ts";
import { type GivenQueue, queueOf, signalStatus } from "../support/queues/given-signals.ts";
import { givenSignalsApi } from "../support/queues/signals-api.ts";

const { broker, db, call, token, enqueue, mine } = await givenSignalsApi();
const client = createClient({ url: broker.url, token });
const program = path.join(import.meta.dirname, "..", "support", "client", "worker-program.ts");

type Given = Partial<WorkerOptions> & Pick<WorkerOptions, "handle">;

/** A worker that runs until the test is over, and what it told of. */
function work({ queueId }: GivenQueue, given: Given) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const worker = new Worker({ client, queue: queueId, onError, ...given });
  const run = worker.run();
  onTestFinished(() => worker.stop());
  return { worker, run, errors };
}

const file = async (queue: GivenQueue, body: object = {}) =>
  (await enqueue(queue, { type: "work", ...body })).body.id;
const read = async (id: string) => (await call(`GET /v1/signals/${id}`)).body;
const untilStatus = async (id: string, status: string) =>
  await expect.poll(async () => await signalStatus(db, id)).toBe(status);

describe("a worker", () => {
  test("does each signal once, as many at once as it may, and says what it came to", async () => {
    const queue = await mine({ maxInFlight: 10 });
    let atOnce = 0;
    let most = 0;
    const done: string[] = [];
    const both = Promise.withResolvers<void>();
    work(queue, {
      concurrency: 2,
      name: "tester",
      handle: async ({ id, signal }) => {
        most = Math.max(most, ++atOnce);
        if (atOnce === 2) both.resolve();
        await both.promise;
        atOnce--;
        done.push(id);
        return { twice: Number(signal["n"]) * 2 };
      },
    });
    const ids = await Promise.all([1, 2, 3].map((n) => file(queue, { signal: { n } })));
    for (const id of ids) await untilStatus(id, "finished");
    expect(done.toSorted()).toEqual(ids.toSorted());
    expect(most).toBe(2);
    expect(await read(ids[2] ?? "")).toMatchObject({ result: { twice: 6 }, execution_count: 1 });
  });

  test("says why a signal failed, and whether it is to be tried again", async () => {
    const queue = await mine();
    const fails = [new Error("the API said 503"), new SignalFailure("never", { retry: false })];
    work(queue, { handle: () => Promise.reject(fails.shift() ?? new Error("once more")) });
    const id = await file(queue, { retry_delay: "1s" });
    await untilStatus(id, "retrying");
    expect(await read(id)).toMatchObject({
      status: { status_human_description: "the API said 503" },
    });
    await advanceClock(db, "1 minute");
    await untilStatus(id, "dead");
    expect(await read(id)).toMatchObject({
      status: { status_human_description: "never" },
      execution_count: 2,
    });
  });

  test("ends as dead what it did, when the broker does not take the result", async () => {
    const queue = await mine();
    const { errors } = work(queue, { handle: () => ({ text: "x".repeat(100_000) }) });
    const id = await file(queue);
    await untilStatus(id, "dead");
    expect(await read(id)).toMatchObject({
      status: { status_human_description: expect.stringContaining("was refused") as string },
    });
    await expect.poll(() => errors).toMatchObject([{ code: "invalid" }]);
  });

  test("is stopped when another has its signal, and reports nothing more", async () => {
    const queue = await mine();
    const { errors } = work(queue, {
      leaseMs: 5_000,
      handle: async (_, { signal }) => await once(signal, "abort").then(() => undefined),
    });
    const id = await file(queue);
    await untilStatus(id, "in-flight");
    await call(`POST /v1/signals/${id}/cancel`);
    await expect.poll(() => errors).toMatchObject([{ code: "lease_lost" }]);
    expect(await signalStatus(db, id)).toBe("cancelled");
  });

  test("stops when what it has is done, and leaves nothing that it claimed", async () => {
    const queue = await mine({ maxInFlight: 10 });
    const end = Promise.withResolvers<void>();
    const answered: { wait?: string }[] = [];
    const telling = createClient({
      url: broker.url,
      token,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (url.endsWith("/claim")) answered.push(JSON.parse(init.body as string) as object);
        return response;
      },
    });
    const { worker, run } = work(queue, {
      client: telling,
      concurrency: 2,
      handle: () => end.promise,
    });
    const id = await file(queue);
    await untilStatus(id, "in-flight");
    let hasStopped = false;
    const stop = worker.stop().then(() => (hasStopped = true));
    await expect.poll(() => answered.at(-1)?.wait).toBe("0s"); // its last claim
    await read(id); // a stop that waits for no handler is over by then
    expect(hasStopped).toBe(false);
    end.resolve();
    await stop;
    await run;
    expect(await signalStatus(db, id)).toBe("finished");
    expect(await queueOf(db, queue)).toMatchObject({ waiting: 0, in_flight: 0 });
    const claims = answered.length;
    const later = await file(queue);
    work(queue, { handle: () => {} });
    await untilStatus(later, "finished");
    expect(await read(later)).toMatchObject({ execution_count: 1 });
    expect(answered).toHaveLength(claims);
  });

  test("says again what was not answered, by the same claim and the same lease, and does each signal once", async () => {
    const queue = await mine({ maxInFlight: 10 });
    const said: { path: string; claim_id?: string; lease_id?: string }[] = [];
    // The first answer to each is lost on its way.
    const losing = createClient({
      url: broker.url,
      token,
      fetch: async (url, init) => {
        const path = url.replace(/^.*\//, "");
        const response = await fetch(url, init);
        said.push({ path, ...(JSON.parse(init.body as string) as object) });
        if (said.filter((one) => one.path === path).length > 1) return response;
        await response.body?.cancel();
        throw new TypeError("the connection broke");
      },
    });
    const done: string[] = [];
    const id = await file(queue);
    const { worker, errors } = work(queue, {
      client: losing,
      handle: ({ id, execution_count }) => void done.push(`${id} ${execution_count}`),
    });
    await untilStatus(id, "finished");
    await worker.stop();
    expect(done).toEqual([`${id} 1`]);
    const [claim, sameClaim] = said.filter(({ path }) => path === "claim");
    expect(sameClaim?.claim_id).toBe(claim?.claim_id);
    const [report, sameReport, ...others] = said.filter(({ path }) => path === "complete");
    expect([sameReport?.lease_id, others]).toEqual([report?.lease_id, []]);
    expect(errors).toEqual([]);
  });

  test("leaves SIGTERM to its program, unless it is to stop by it", async () => {
    const queue = await mine();
    const listeners = process.listenerCount("SIGTERM");
    work(queue, { handle: () => {} });
    expect(process.listenerCount("SIGTERM")).toBe(listeners);
    const { worker } = work(queue, { handle: () => {}, stopOnSigterm: true });
    expect(process.listenerCount("SIGTERM")).toBe(listeners + 1);
    await worker.stop();
    expect(process.listenerCount("SIGTERM")).toBe(listeners);
  });

  test("ends where its claims are refused for good", async () => {
    const { run } = work(await mine(), {
      client: createClient({ url: broker.url, token: "svc_x" }),
      handle: () => {},
    });
    await expect(run).rejects.toMatchObject({ status: 401 });
  });
});

describe("a worker's process", () => {
  async function start({ queueId }: GivenQueue) {
    const child = spawn(process.execPath, [program, broker.url, token, queueId], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    return { child, lines, ended: once(child, "exit") };
  }

  test("that is killed loses its signal to another, and what it says afterwards changes nothing", async () => {
    const queue = await mine();
    const id = await file(queue, { type: "hang" });
    const { child, lines, ended } = await start(queue);
    await expect.poll(() => lines).toHaveLength(1);
    child.kill("SIGKILL");
    await ended;
    await advanceClock(db, "10 seconds");

    const taken: ClaimedSignal[] = [];
    work(queue, { handle: (signal) => void taken.push(signal) });
    await untilStatus(id, "finished");
    expect(taken).toMatchObject([{ id, execution_count: 2 }]);
    const { lease_id } = JSON.parse(lines[0] ?? "") as ClaimedSignal;
    const params = { queue_id: queue.queueId, signal_id: id };
    const late = client.post("/v1/queues/{queue_id}/signals/{signal_id}/complete", {
      params,
      body: { lease_id },
    });
    await expect(late).rejects.toMatchObject({ status: 409, code: "lease_lost" });
  });

  test("stops by SIGTERM, if that was asked for, and leaves nothing behind", async () => {
    const queue = await mine();
    const id = await file(queue);
    const { child, lines, ended } = await start(queue);
    await untilStatus(id, "finished");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(lines.at(-1)).toBe("stopped");
  });
});
