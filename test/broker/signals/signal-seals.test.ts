import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { registerKeys } from "../../../broker/seals/register-keys.ts";
import { reseal } from "../../../broker/seals/reseal.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { keyLine } from "../../support/broker/seal-keys.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testFolder } from "../../support/run/folder.ts";

test("a rotation seals the data, the results and the callbacks of signals anew", async () => {
  const file = path.join(await testFolder(), "keys");
  const [k1, k2] = [keyLine("k1"), keyLine("k2")];
  await writeFile(file, k1);
  const { broker, db, call } = await givenOperator("org_admin", {
    env: { SVC_SEAL_KEYS: `file:${file}` },
  });
  const { seals } = broker.broker;
  const reread = () => seals.refresh((keys) => registerKeys(db, "by-hand", keys));
  const queue = await call<{ id: string }>("POST /v1/queues", { body: { name: "q" } });
  const next = { queue_id: queue.body.id, type: "next", signal: { b: 2 } };
  const made = await call<{ id: string; callbacks: { next_id: string }[] }>(
    `POST /v1/queues/${queue.body.id}/signals`,
    {
      body: {
        type: "work",
        signal: { a: 1 },
        callbacks: [{ signal: next }, { http_call: { url: "https://example.com" } }],
      },
    },
  );
  const done = await call<{ id: string }>("POST /v1/queues", { body: { name: "done" } });
  const into = `POST /v1/queues/${done.body.id}/signals`;
  const { id } = (await call<{ id: string }>(into, { body: { type: "work", signal: { c: 3 } } }))
    .body;
  const claim = await call<{ signals: { lease_id: string }[] }>(`${into}/claim`, { body: {} });
  const said = { lease_id: claim.body.signals[0]?.lease_id, result: { d: 4 } };
  expect((await call(`${into}/${id}/complete`, { body: said })).status).toBe(200);
  await writeFile(file, [k2, k1].join("\n"));
  await reread();
  await advanceClock(db, "11 minutes");
  const { signal } = new AbortController();
  expect(await reseal(broker.broker, signal)).toEqual({ sealed: 5, broken: [] });
  const keys = await db`
    select key_id from queue_signals union select key_id from queue_signal_callbacks
     union select key_id from queue_signal_ends`;
  expect(keys).toEqual([{ key_id: "k2" }]);
  await reseal(broker.broker, signal);
  await writeFile(file, k2);
  await reread();
  expect((await call(`GET /v1/signals/${made.body.id}`)).body).toMatchObject({ signal: { a: 1 } });
  const ended = await call(`GET /v1/signals/${id}`);
  expect(ended.body).toMatchObject({ signal: { c: 3 }, result: { d: 4 } });
  await call(`POST /v1/signals/${made.body.id}/cancel`);
  const followed = await call(`GET /v1/signals/${made.body.callbacks[0]?.next_id}`);
  expect(followed.body).toMatchObject({ signal: { b: 2 } });
});
