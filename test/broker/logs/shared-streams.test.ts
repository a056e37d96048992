import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog } from "../../support/logs/given-logs.ts";
import {
  postLogs,
  protobufLogs,
  storedBodies,
  storedRecords,
} from "../../support/logs/otlp-logs.ts";
import { walks } from "../../support/model/walks.ts";

const database = await testDatabase();
const { db } = database;
const env = { SVC_LOG_STREAM_KIB_PER_S: "0", SVC_LOG_ORG_KIB_PER_S: "0" };
const brokers = [
  await startBroker({ url: database.url, env }),
  await startBroker({ url: database.url, env }),
] as const;

async function setup() {
  const log = await givenLog(database, brokers[0]);
  const { streamId, token, executionId, orgId } = log;
  const send = async (at: number, lines: readonly { body: string; seq?: number }[]) => {
    const { url } = brokers[at % brokers.length] ?? brokers[0];
    const body = protobufLogs(lines.map((line) => ({ ...line, executionId })));
    return (await postLogs({ url, streamId, token, body })).status;
  };
  const bodies = async () => await storedBodies(db, orgId, streamId);
  return { ...log, send, bodies };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ body: `line ${from + at}`, seq: from + at }));

describe("a stream that several brokers write to", () => {
  test("holds every record once, each broker's in their order", async () => {
    const { send, bodies } = await setup();
    const writers = Array.from({ length: 20 }, async (_, writer) => {
      for (let nth = 0; nth < 10; nth += 1) {
        expect(await send(writer, [{ body: `${writer} ${nth}` }])).toBe(201);
      }
    });
    await Promise.all(writers);
    const stored = await bodies();
    expect(stored).toHaveLength(200);
    for (let writer = 0; writer < 20; writer += 1) {
      const own = stored.filter((body) => body.startsWith(`${writer} `));
      expect(own).toEqual(Array.from({ length: 10 }, (_, nth) => `${writer} ${nth}`));
    }
  });

  test("has positions without a hole", async () => {
    const { send, orgId, streamId } = await setup();
    const all = Array.from({ length: 60 }, (_, at) => send(at, [{ body: `line ${at}` }]));
    expect(new Set(await Promise.all(all))).toEqual(new Set([201]));
    const positions = (await storedRecords(db, orgId, streamId)).map(({ position }) => position);
    expect(positions).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
  });
});

test("whatever is sent again, late and at once through whichever broker, is read once and in order", async () => {
  const last = 40;
  const piece = fc.record({
    from: fc.integer({ min: 1, max: last }),
    length: fc.integer({ min: 1, max: 12 }),
    at: fc.nat(1),
  });
  const rounds = fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rounds, async (sent) => {
      const { send, orgId, streamId } = await setup();
      for (const round of sent) {
        const pieces = round.map(async ({ from, length, at }) =>
          send(at, numbered(from, Math.min(last, from + length - 1))),
        );
        expect(new Set(await Promise.all(pieces))).toEqual(new Set([201]));
      }
      const expected = new Set(
        sent
          .flat()
          .flatMap(({ from, length }) =>
            numbered(from, Math.min(last, from + length - 1)).map(({ seq }) => seq),
          ),
      );
      const seqs = (await storedRecords(db, orgId, streamId)).map(({ seq }) => seq);
      expect(seqs).toEqual([...expected].toSorted((a, b) => a - b));
    }),
    walks(20),
  );
});
