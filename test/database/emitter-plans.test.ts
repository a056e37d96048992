import { expect, test } from "vitest";
import { testDatabase } from "../support/database/database.ts";
import { explaining, readsOf } from "../support/database/explain.ts";
import {
  emittedSignal,
  emitterOf,
  emitTicks,
  givenEmitter,
  tickOf,
} from "../support/queues/given-emitters.ts";
import { givenQueue } from "../support/queues/given-signals.ts";

const database = await testDatabase();
const { db } = database;
const at = new Date(Date.now() - 60_000);
const batch = 30;

async function givenDue(): Promise<string[]> {
  const queue = await givenQueue(db);
  const due = { next_tick_at: at.toISOString(), next_emit_at: at.toISOString() };
  const ids: string[] = [];
  for (let nth = 0; nth < batch; nth += 1)
    ids.push(await givenEmitter(db, queue, { ...due, overlap_policy: "skip" }));
  return ids;
}

test("emitting reads what it emits, though it was planned when no signal was there, however many there are now", async () => {
  const on = await explaining(database, { isMeasured: true });
  for (let nth = 0; nth < 8; nth += 1) {
    const ids = await givenDue();
    const emitters = await Promise.all(ids.map((id) => emitterOf(db, id)));
    on.take();
    await on.db`select id from read_due_emitters(${ids}, 1000000)`;
    const settled = await emitTicks(
      on.db,
      emitters.map((emitter) => tickOf(emitter, new Date(at.getTime() + 86_400_000))),
      emitters.map((emitter) => emittedSignal(emitter, at)),
    );
    expect(settled.map(({ outcome }) => outcome)).toEqual(emitters.map(() => "emitted"));
    const overruns = on.take().flatMap(({ Plan, "Query Text": text }) =>
      readsOf(Plan)
        .filter(({ rows }) => rows > 2 * batch)
        .map(({ of, rows }) => `${rows} by ${of}: ${text.replaceAll(/\s+/g, " ").slice(0, 160)}`),
    );
    expect({ nth, overruns }).toEqual({ nth, overruns: [] });
  }
  await on.end();
});
