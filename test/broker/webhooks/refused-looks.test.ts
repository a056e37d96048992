import { expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import { givenEvents } from "../../support/webhooks/given-events.ts";
import { givenWebhooksApi } from "../../support/webhooks/webhooks-api.ts";

const { db, logged, givenReceiving } = await givenWebhooksApi({ SVC_LOCK_WAIT_MS: "300" });

test("a look that the database refuses is made again, and nothing waits until the lease runs out", async () => {
  const held = Promise.withResolvers<void>();
  const { orgId, receiver, statuses, webhook } = await givenReceiving({
    "/ok": async (nth) => {
      if (nth === 1) await held.promise;
      return { status: 204 };
    },
  });
  await givenEvents(db, [{ orgId, workflowId: "wfl_a" }]);
  await until(() => receiver.received.length === 1);
  await db.begin(async (tx) => {
    await tx`select from webhook_lines where webhook_id = ${webhook.id} for update`;
    await until(() => logged.some((line) => line.includes("could not look for a webhook's")));
  });
  held.resolve();
  await givenEvents(db, [{ orgId, workflowId: "wfl_b" }]);
  await until(async () => (await statuses()).join() === "delivered,delivered");
  expect(receiver.received).toHaveLength(2);
});
