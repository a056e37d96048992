import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { RouteRule } from "../../../shared/route-rule.ts";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { endpoints } from "../../support/broker/route-rules.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import {
  claimSignals,
  type GivenQueue,
  givenQueue,
  givenSignal,
  reportSignal,
} from "../../support/queues/given-signals.ts";
import { givenToken } from "../../support/rows/given-token.ts";

type Endpoint = { operationId: string; method: string; path: string; rule: RouteRule };
/** What is theirs: a queue with a signal that waits, one in flight with its lease, one that is dead and one that is finished. */
type Owned = GivenQueue & Record<"waiting" | "inFlight" | "leaseId" | "dead" | "finished", string>;

const { db, url } = await testDatabase();
let broker: TestBroker;
let theirs: Owned;
let mine: GivenQueue;
let token: string;

beforeAll(async () => {
  const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
  broker = await startBroker({ url, env });
  theirs = await givenOwned();
  mine = await givenQueue(db);
  token = await givenToken(db, { orgId: mine.orgId });
});

afterEach(() => expectSoundSignals(db));

async function givenOwned(): Promise<Owned> {
  const queue = await givenQueue(db, { maxInFlight: 2 });
  const end = async (event: string): Promise<string> => {
    await givenSignal(db, queue);
    const [claimed] = await claimSignals(db, queue);
    if (claimed === undefined) throw new Error("nothing was claimed");
    await reportSignal(db, queue, claimed, event);
    return claimed.id;
  };
  const [dead, finished] = [await end("give-up"), await end("finish")];
  const inFlight = await givenSignal(db, queue);
  const [claimed] = await claimSignals(db, queue, 1, "c1");
  const waiting = await givenSignal(db, queue, { dedupe_key: "k" });
  return { ...queue, waiting, inFlight, leaseId: claimed?.lease_id ?? "", dead, finished };
}

/** Everything that an org's queues are. */
async function allOf({ orgId }: GivenQueue): Promise<unknown> {
  const [row] = await db`
    select (select json_agg(x order by x.id) from queues x where x.org_id = ${orgId}) as queues,
           (select json_agg(x order by x.queue_id) from queue_counters x where x.org_id = ${orgId}) as counters,
           (select json_agg(x order by x.id) from queue_signals x where x.org_id = ${orgId}) as signals,
           (select json_agg(x order by x.id) from queue_signal_live x where x.org_id = ${orgId}) as live,
           (select json_agg(x order by x.signal_id) from queue_signal_ends x where x.org_id = ${orgId}) as ends,
           (select json_agg(x order by x.key) from queue_signal_keys x where x.org_id = ${orgId}) as keys,
           (select json_agg(x order by x.seq) from status_history x where x.org_id = ${orgId}) as told`;
  return row;
}

/** A whole body for each route that takes one; for the others an empty one. */
const bodies: Readonly<Record<string, () => object>> = {
  updateQueue: () => ({ name: "mine now" }),
  pauseQueue: () => ({ note: "mine now" }),
  purgeQueue: () => ({ in_flight: true }),
  enqueueSignal: () => ({ type: "work", dedupe_key: "k" }),
  enqueueSignals: () => ({ signals: [{ type: "work" }] }),
  claimSignals: () => ({ claim_id: "c1", wait: 0 }),
  completeSignal: () => ({ lease_id: theirs.leaseId, result: { mine: true } }),
  failSignal: () => ({ lease_id: theirs.leaseId, description: "mine now" }),
  extendSignal: () => ({ lease_id: theirs.leaseId }),
};

/** Emitters have a test of their own. */
const named = (endpoints as readonly Endpoint[]).filter(
  ({ path }) =>
    /^\/v1\/(queues\/\{queue_id\}|signals\/\{signal_id\})/.test(path) && !path.includes("emitter"),
);

function ask({ method, operationId, path }: Endpoint, signalId: string) {
  const address = path.replace("{queue_id}", theirs.queueId).replace("{signal_id}", signalId);
  const hasBody = method !== "get" && method !== "delete";
  const body = hasBody ? (bodies[operationId]?.() ?? {}) : undefined;
  return broker.call<{ code: string }>(`${method.toUpperCase()} ${address}`, { token, body });
}

describe("to a token of another org", () => {
  test.each(named.map((route) => [route.operationId, route] as const))(
    "%s answers 404, and nothing changes",
    async (_, route) => {
      const before = await allOf(theirs);
      const signals = [theirs.waiting, theirs.inFlight, theirs.dead, theirs.finished];
      for (const id of route.path.includes("{signal_id}") ? signals : [theirs.waiting]) {
        const answer = await ask(route, id);
        expect(answer).toMatchObject({ status: 404 });
        expect(answer.body.code).toMatch(/^(queue|signal)_not_found$/);
      }
      expect(await allOf(theirs)).toEqual(before);
    },
  );

  test("a list shows its own queues and signals only, whatever it is narrowed to", async () => {
    const { body } = await broker.call<{ items: { id: string }[] }>("GET /v1/queues", { token });
    expect(body.items.map(({ id }) => id)).toEqual([mine.queueId]);
    for (const filter of [
      "",
      "?owner_id=own_1",
      "?status=dead",
      `?emitter_id=emt_${"0".repeat(26)}`,
    ]) {
      const path = `GET /v1/queues/${mine.queueId}/signals${filter}`;
      expect((await broker.call(path, { token })).body).toMatchObject({ items: [] });
    }
  });

  test("names of another org's things in a queue of its own are unknown", async () => {
    const before = await allOf(theirs);
    const path = `POST /v1/queues/${mine.queueId}/signals`;
    const call = async (what: string, body: object) =>
      await broker.call<{ errors?: unknown }>(what, { token, body });
    const target = { queue_id: theirs.queueId, type: "work" };
    expect(await call(path, { type: "work", callback: { signal: target } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/callback/signal/queue_id", code: "queue_not_found" }] },
    });
    expect(await call(path, { type: "work", awaited_by: theirs.waiting })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/awaited_by", code: "awaiter_not_live" }] },
    });
    expect(await call(`${path}/redrive`, { signal_ids: [theirs.dead] })).toMatchObject({
      body: { redriven: 0, signals: [{ outcome: "not-found" }] },
    });
    for (const report of ["complete", "fail", "extend"]) {
      const body = { lease_id: theirs.leaseId, ...(report === "fail" && { description: "no" }) };
      const answer = await call(`${path}/${theirs.inFlight}/${report}`, body);
      expect(answer.status).toBe(404);
    }
    expect(await allOf(theirs)).toEqual(before);
  });
});
