import { expect, test } from "vitest";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import type { Answer } from "../../support/broker/broker.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import {
  claimSignals,
  type GivenQueue,
  givenQueue,
  givenSignal,
  reportSignal,
} from "../../support/queues/given-signals.ts";

const { db, call, orgId } = await givenOperator();
type Page = { readonly items: QueueSignal[]; readonly next_cursor: string | null };

async function all({ queueId }: GivenQueue, filter: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Answer<Page> = await call<Page>(
      `GET /v1/queues/${queueId}/signals?limit=2&cursor=${cursor}${filter}`,
    );
    expect(page.status).toBe(200);
    ids.push(...page.body.items.map(({ id }) => id));
    cursor = page.body.next_cursor;
  }
  return ids;
}

test("a list is paged by what it is narrowed to", async () => {
  const queue = await givenQueue(db, { orgId, maxInFlight: 10 });
  const other = await givenQueue(db, { orgId });
  const make = (members: object = {}) => givenSignal(db, queue, { ...members });
  const done = [await make(), await make(), await make()];
  for (const claimed of await claimSignals(db, queue, 3)) {
    await reportSignal(db, queue, claimed, "finish");
  }
  const busy = [await make(), await make(), await make()];
  await claimSignals(db, queue, 3);
  const owned = [
    await make({ owner_id: "o" }),
    await make({ owner_id: "o" }),
    await make({ owner_id: "o" }),
  ];
  const typed = [
    await make({ type: "rare" }),
    await make({ type: "rare" }),
    await make({ type: "rare" }),
  ];
  await givenSignal(db, other, { owner_id: "o" });
  const waiting = [...owned, ...typed];
  expect(await all(queue, "")).toEqual([...done, ...busy, ...waiting].toReversed());
  expect(await all(queue, "&status=queued")).toEqual(waiting); // in the order of the line
  expect(await all(queue, "&status=in-flight")).toEqual(busy.toReversed());
  expect(await all(queue, "&status=finished")).toEqual(done.toReversed());
  expect(await all(queue, "&status=dead")).toEqual([]);
  expect(await all(queue, "&owner_id=o")).toEqual(owned.toReversed());
  expect(await all(queue, "&status=queued&owner_id=o")).toEqual(owned);
  expect(await all(queue, "&type=rare")).toEqual(typed.toReversed());
  expect(await all(queue, "&status=queued&type=rare")).toEqual(typed);
  expect(await all(queue, "&emitter_id=emt_1")).toEqual([]);
});

test("a type that few signals have is found page by page", async () => {
  const queue = await givenQueue(db, { orgId, maxDepth: 10_000 });
  const rare = await givenSignal(db, queue, { type: "rare" });
  const body = { signals: Array.from({ length: 1000 }, () => ({ type: "common" })) };
  for (let at = 0; at < 3; at++) {
    const made = await call(`POST /v1/queues/${queue.queueId}/signals/batch`, { body });
    expect(made.status).toBe(201);
  }
  const first = await call<Page>(`GET /v1/queues/${queue.queueId}/signals?type=rare`);
  expect(first.body.items).toEqual([]);
  expect(first.body.next_cursor).not.toBeNull();
  expect(await all(queue, "&type=rare")).toEqual([rare]);
});

test("a cursor of other filters, and one that was made up, are refused or begin at the front", async () => {
  const queue = await givenQueue(db, { orgId });
  for (let at = 0; at < 3; at++) await givenSignal(db, queue);
  const path = `GET /v1/queues/${queue.queueId}/signals`;
  const page = await call<Page>(`${path}?limit=1`);
  const cursor = page.body.next_cursor ?? "";
  expect((await call(`${path}?cursor=${cursor}&status=queued`)).status).toBe(422);
  const queued = await call<Page>(`${path}?limit=1&status=queued`);
  const [sortKey, , hash] = JSON.parse(
    Buffer.from(queued.body.next_cursor ?? "", "base64url").toString(),
  ) as string[];
  const forged = Buffer.from(JSON.stringify([sortKey, "sig_x", hash])).toString("base64url");
  expect((await call(`${path}?status=queued&cursor=${forged}`)).status).toBe(200);
});
