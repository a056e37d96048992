import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { Call } from "../../../broker/egress/call-out.ts";
import { type CallOutcome, makeEgress } from "../../../broker/egress/egress.ts";
import { createMetrics } from "../../../broker/metrics.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { startRawServer } from "../../support/network/raw-server.ts";

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

async function setup({ patienceMs }: { patienceMs?: number } = {}) {
  const metrics = createMetrics();
  const egress = makeEgress({
    rules: { mode: "internal", opened: [] },
    metrics,
    resolve: () => Promise.resolve(["127.0.0.1"]),
    ...(patienceMs !== undefined && { patienceMs }),
  });
  const callOut = (org: string, url: string, call: Partial<Call> = {}): Promise<CallOutcome> =>
    egress.callOut(org as OrgId, { url, method: "GET", timeoutMs: 50_000, ...call });
  const valueOf = (line: string): number =>
    Number(new RegExp(`^${line} (\\d+)$`, "m").exec(metrics.text())?.[1] ?? 0);
  const running = () => valueOf("svc_egress_calls_running");
  const waiting = () => valueOf("svc_egress_calls_waiting");
  const answering = await startRawServer((socket) => socket.end(answer));
  return { egress, callOut, valueOf, running, waiting, answering };
}

/** A server that holds every call until it is told to answer; then it answers all. */
async function holdingServer() {
  const held: Socket[] = [];
  let isHolding = true;
  const server = await startRawServer((socket) => {
    if (isHolding) held.push(socket);
    else socket.end(answer);
  });
  const release = (): void => {
    isHolding = false;
    for (const socket of held) socket.end(answer);
  };
  return { ...server, held, release };
}

const kindsOf = (outcomes: readonly CallOutcome[]) =>
  Object.groupBy(outcomes, (one) => (one.kind === "deferred" ? one.reason : one.kind));

describe("calls of many orgs", () => {
  test("do not wait for an org with a thousand slow calls", async () => {
    const { callOut, running, waiting, answering, valueOf } = await setup();
    const slow = await holdingServer();
    const asked = Array.from({ length: 1000 }, () => callOut("a", slow.url));
    await expect.poll(() => slow.held.length).toBe(4);
    expect([running(), waiting()]).toEqual([4, 96]);
    expect(await callOut("b", answering.url)).toMatchObject({ status: 200 });
    expect(slow.held).toHaveLength(4);
    slow.release();
    const kinds = kindsOf(await Promise.all(asked));
    expect(kinds.answered).toHaveLength(100);
    expect(kinds.too_many_calls).toHaveLength(900);
    expect(kinds.too_many_calls?.[0]).toMatchObject({
      kind: "deferred",
      detail: "This org has 100 calls in progress or waiting at this broker.",
    });
    expect([running(), waiting()]).toEqual([0, 0]);
    expect(valueOf('svc_egress_calls_total{result="2xx"}')).toBe(101);
    expect(valueOf('svc_egress_calls_total{result="too_many_calls"}')).toBe(900);
  });

  test("to a slow server do not hold up the org's calls to others", async () => {
    const { callOut, answering } = await setup();
    const slow = await holdingServer();
    const asked = Array.from({ length: 50 }, () => callOut("a", slow.url));
    await expect.poll(() => slow.held.length).toBe(4);
    expect(await callOut("a", answering.url)).toMatchObject({ status: 200 });
    slow.release();
    expect(kindsOf(await Promise.all(asked)).answered).toHaveLength(50);
  });

  test("are 16 of one org and 64 of all at once", async () => {
    const { callOut, running, waiting } = await setup();
    const slow = await holdingServer();
    const hosts = Array.from({ length: 90 }, (_, n) => `http://n${n}.example:${slow.port}`);
    const ofOne = hosts.map((url) => callOut("a", url));
    expect([running(), waiting()]).toEqual([16, 74]);
    const ofMany = hosts.map((url, n) => callOut(`org ${n}`, url));
    expect([running(), waiting()]).toEqual([64, 74 + 90 - 48]);
    slow.release();
    const kinds = kindsOf(await Promise.all([...ofOne, ...ofMany]));
    expect(kinds.answered).toHaveLength(180);
    expect([running(), waiting()]).toEqual([0, 0]);
  });

  test("wait for their turn only so long", async () => {
    const { callOut } = await setup({ patienceMs: 50 });
    const slow = await holdingServer();
    const asked = Array.from({ length: 5 }, () => callOut("a", slow.url));
    expect(await asked[4]).toMatchObject({ kind: "deferred", reason: "no_turn_in_time" });
    slow.release();
    expect(kindsOf(await Promise.all(asked)).answered).toHaveLength(4);
    expect(slow.connections).toHaveLength(4);
  });

  test("stop waiting when they are given up", async () => {
    const { callOut, waiting } = await setup();
    const slow = await holdingServer();
    const asked = Array.from({ length: 4 }, () => callOut("a", slow.url));
    const given = new AbortController();
    const last = callOut("a", slow.url, { signal: given.signal });
    expect(waiting()).toBe(1);
    given.abort();
    expect(await last).toMatchObject({ kind: "deferred", reason: "aborted" });
    expect(waiting()).toBe(0);
    expect(await callOut("a", slow.url, { signal: given.signal })).toMatchObject({
      kind: "deferred",
      reason: "aborted",
    });
    slow.release();
    expect(kindsOf(await Promise.all(asked)).answered).toHaveLength(4);
  });

  test("give their turn back whatever came of them", async () => {
    const { callOut, running, egress } = await setup();
    for (const url of ["no url", "http://169.254.169.254/", "http://127.0.0.1:1/"]) {
      expect(await callOut("a", url)).toMatchObject({ kind: "failed" });
    }
    expect(running()).toBe(0);
    expect(egress.checkUrl("http://169.254.169.254/")).toMatchObject({ code: "blocked_address" });
    expect(egress.checkUrl("http://127.0.0.1/")).toMatchObject({ isOk: true });
  });
});
