import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { giveBackUnlessWritten } from "../../../broker/polls/answer-claim.ts";
import { claimJobs } from "../../../broker/polls/claim-jobs.ts";
import {
  givenAgent,
  givenSoundPolling,
  parked,
  parkedOf,
  type Polling,
  until,
} from "../../support/broker/given-polling.ts";
import { rawRequest } from "../../support/network/raw-request.ts";
import { givenJob } from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

const at = await givenSoundPolling();

const enqueueAt = (at: Polling, runnerId: string, token: string) =>
  at.brokers[0].call<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, {
    token,
    body: { type: "noop-deploy" },
  });

/** A claim on a socket that the test holds in its hand. */
async function rawClaim(agent: Awaited<ReturnType<typeof givenAgent>>) {
  const body = { process_id: agent.processId, groups: { deploy: 1 }, wait: "25s" };
  const path = `POST /v1/runners/${agent.runner.runnerId}/jobs/claim`;
  return rawRequest(at.brokers[0].url, path, { token: agent.token, body });
}

describe("a client that vanished", () => {
  test("is dropped at once, and the job goes to who still waits", async () => {
    const gone = await givenAgent(at);
    const { runner } = gone;
    const stays = await givenAgent(at, { runner });
    const socket = await rawClaim(gone);
    await parked(at.brokers[0], gone.processId);
    const answer = stays.claim({ wait: "20s" });
    await parked(at.brokers[0], stays.processId);
    await at.brokers[0].broker.polls.dispatcher.settled(); // the look at parking is over: none is under way
    socket.destroy();
    await parkedOf(at.brokers[0], runner.runnerId, 1);
    const jobId = await givenJob(at.db, runner);
    at.brokers[0].broker.wakes.notify([`queue:${runner.runnerId}`]);
    expect((await answer).body.jobs.map(({ job }) => job.id)).toEqual([jobId]);
    expect((await jobState(at.db, jobId)).events).toEqual(["enqueue", "release", "claim"]);
  });

  test("while its claim is under way loses the job to the next", async () => {
    const gone = await givenAgent(at);
    const { runner } = gone;
    const stays = await givenAgent(at, { runner });
    for (let round = 0; round < 15; round += 1) {
      const jobId = await givenJob(at.db, runner);
      const socket = await rawClaim(gone); // the job is there: it is being claimed from now on
      await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
      const { body } = await stays.claim({ wait: "20s" });
      const [claimed] = body.jobs;
      expect(claimed?.job.id).toBe(jobId);
      if (claimed !== undefined) await stays.finish(claimed);
      expect((await jobState(at.db, jobId)).execution_count).toBe(1);
    }
  });
});

describe("an answer that cannot be written", () => {
  test("to a client that stopped reading and broke off gives the job back", async () => {
    const gone = await givenAgent(at);
    const socket = await rawClaim(gone);
    socket.pause();
    await parked(at.brokers[0], gone.processId);
    const plan = JSON.stringify({ filling: "x".repeat(12_000_000) });
    const jobId = await givenJob(at.db, gone.runner, { plan });
    at.brokers[0].broker.wakes.notify([`queue:${gone.runner.runnerId}`]);
    await until(async () => (await jobState(at.db, jobId)).status === "in-progress");
    socket.destroy();
    await until(async () => (await jobState(at.db, jobId)).status === "available");
    const state = await jobState(at.db, jobId);
    expect(state.events).toEqual(["enqueue", "release", "claim", "return", "release"]);
    expect(state.execution_count).toBe(0);
  });

  test("to a connection that closed before the claim was there gives the job back", async () => {
    const agent = await givenAgent(at);
    const jobId = await givenJob(at.db, agent.runner);
    const response = await closedResponse();
    const request = {
      runnerId: agent.runner.runnerId,
      processId: agent.processId,
      pollId: null,
      groups: new Map([["deploy", 1]]),
    };
    const [claimed] = await claimJobs(at.brokers[0].broker, [request]);
    expect(claimed?.claims.map(({ job }) => job.id)).toEqual([jobId]);
    giveBackUnlessWritten(at.brokers[0].broker.polls, response, claimed?.claims ?? []);
    await until(async () => (await jobState(at.db, jobId)).status === "available");
  });

  test("that was written keeps the job, however the connection ends", async () => {
    const agent = await givenAgent(at);
    const token = agent.token;
    const jobId = await givenJob(at.db, agent.runner);
    const socket = await rawClaim(agent);
    const [chunk] = (await once(socket, "data")) as [Buffer];
    expect(String(chunk)).toContain("200 OK");
    socket.destroy();
    await until(async () => (await jobState(at.db, jobId)).status === "in-progress");
    const next = await givenAgent(at, { runner: agent.runner });
    expect((await next.claim({ wait: "500ms" })).body.jobs).toEqual([]);
    expect((await jobState(at.db, jobId)).events).toEqual(["enqueue", "release", "claim"]);
    expect((await enqueueAt(at, agent.runner.runnerId, token)).status).toBe(403);
  });
});

/** What is left of a request whose client went away before it was answered. */
async function closedResponse(): Promise<ServerResponse> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const socket = await rawRequest(`http://127.0.0.1:${port}`, "POST /", { token: "", body: {} });
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  socket.destroy();
  await once(response, "close");
  return response;
}
