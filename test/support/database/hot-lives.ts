import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { listNewEvents, storeFannedOut } from "../../../broker/events/event-queries.ts";
import { toEnvelope } from "../../../broker/events/to-envelope.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import {
  recordAttempts,
  releaseLine,
  resendRows,
  takeDeliveries,
  takeLines,
} from "../../../broker/webhooks/delivery-queries.ts";
import { aSignal, claimSignals, fileSignals, givenQueue } from "../queues/given-signals.ts";
import { beat, claim, givenJobs, givenProcess, givenRunner, report } from "../rows/given.ts";
import { givenEvents } from "../webhooks/given-events.ts";
import { givenWebhook } from "../webhooks/given-webhooks.ts";
import { advanceClock } from "./clock.ts";

/** A life of an org's by the hot functions, on one connection; what others do besides is done on the other. */
export type Life = (db: Db, setUp: Db, orgId: OrgId) => Promise<void>;

/** An event from its move to its delivery, with a try that fails, one that arrives, and one more. */
export const liveAsEvent: Life = async (db, setUp, orgId) => {
  const workflowId = newId("wfl");
  const webhookId = await givenWebhook(setUp, { orgId, url: `http://127.0.0.1:1/${workflowId}` });
  await givenEvents(db, [
    { orgId, workflowId },
    { orgId, workflowId },
  ]);
  const deliveries = [{ id: newId("whd"), webhook_id: webhookId }];
  const events = await listNewEvents(db, orgId, 10);
  const [event] = events;
  if (event === undefined) throw new Error("there is an event");
  const body = await toEnvelope({ ...event, data: { ...event.data, links: {} } });
  await storeFannedOut(db, orgId, [{ id: event.id, body, deliveries }]);
  const [line] = await takeLines(db, { most: 10, ofOrg: 16, held: new Map() });
  if (line === undefined) throw new Error("there is no line");
  for (const result of ["failed", "delivered"] as const) {
    const [due] = (await takeDeliveries(db, line, { busy: [], most: 4 }))?.due ?? [];
    if (due === undefined) throw new Error("nothing is due");
    const answered = { response_status: 200, response_body: "", error_code: null, error: null };
    const attempt = { result, started_at: new Date().toISOString(), duration_ms: 1, ...answered };
    const next = { delay_ms: 0, is_detached: false, rest_ms: 0, is_first: true } as const;
    const ids = {
      id: newId("wha"),
      org_id: orgId,
      webhook_id: line.webhookId,
      lease_id: line.leaseId,
    };
    const status = result === "failed" ? ("pending" as const) : result;
    const of = { delivery_id: due.delivery_id, stream: due.stream, n: 1 };
    await recordAttempts(db, [{ ...attempt, ...next, ...ids, ...of, status, counts: result }]);
  }
  await releaseLine(db, line);
  await resendRows(db, orgId, line.webhookId, { status: "delivered", most: 10 });
  await setUp`select give_up_deliveries(${line.webhookId}, svc_now())`; // nobody delivers it
};

/** Jobs that are claimed, beaten for and reported on; some finish, some fail. */
export const liveAsJobs: Life = async (db, setUp, orgId) => {
  const runner = await givenRunner(setUp, { orgId, parallelism: { deploy: 5 } });
  const processId = await givenProcess(setUp, runner, { serves: { deploy: 5 } });
  for (const outcome of ["finished", "failed"]) {
    await givenJobs(db, runner, [{ plan: "{}" }, {}, {}]);
    const held = await claim(db, runner, { processId, want: 3 });
    await beat(db, [processId], held);
    for (const { executionId } of held) {
      await report(db, runner, { executionId, status: "in-progress" });
      const result = { success: outcome === "finished", error_code: 0, error_metadata: {} };
      await report(db, runner, { executionId, status: outcome, result });
    }
  }
};

/** Signals by the hot functions: every way to enter, to come back and to end. */
export const liveAsSignals: Life = async (db, setUp, orgId) => {
  const queue = await givenQueue(setUp, { orgId, maxInFlight: 10 });
  const other = await givenQueue(setUp, { orgId });
  const next = { n: 1, kind: "signal", statuses: ["finished", "dead"], next_id: newId("sig") };
  const callback = { ...next, queue_id: other.queueId, type: "next", runs: "pull" };
  const tries = { max_executions: 3, retry_delay: 1, contents: "e30=" };
  await fileSignals(db, [
    aSignal(queue, { dedupe_key: "k", callbacks: [{ ...callback, ...tries }] }),
    aSignal(queue, {
      request: 2,
      idempotency_key: "i",
      fingerprint: "00",
      expires_in: 60_000_000_000,
    }),
    ...[3, 4, 5, 6, 7].map((request) => aSignal(queue, { request })),
    aSignal(queue, { request: 8, type: "noop", runs: "task", task: "run-signal" }),
  ]);
  await fileSignals(db, [
    aSignal(queue, { idempotency_key: "i", fingerprint: "00", dedupe_key: "k" }),
  ]);
  for (const event of ["finish", "fail", "give-up", "extend"]) {
    const [claimed] = await claimSignals(db, queue, 1, event);
    if (claimed === undefined) throw new Error("nothing was claimed");
    await claimSignals(db, queue, 1, event);
    const report = { n: 1, org_id: queue.orgId, queue_id: queue.queueId, signal_id: claimed.id };
    const batch = JSON.stringify([{ ...report, lease_id: claimed.lease_id, event }]);
    await db`select * from report_claimed_signals(${batch}::text::json)`;
  }
  const [org, id] = [queue.orgId as string, queue.queueId];
  const [given] = await db<{ id: string; lease_id: string; lease_until: Date }[]>`
    select * from serve_signal_claims(${[1]}::int[], ${[org]}::text[], ${[id]}::text[], ${[1]}::int[],
                                      ${["c"]}::text[], ${["w"]}::text[], ${[30_000_000_000]}::bigint[])`;
  await db`
    select return_signals(${[org]}::text[], ${[given?.id ?? ""]}::text[], ${[given?.lease_id ?? ""]}::text[],
                          array[${given?.lease_until ?? new Date(0)}::timestamptz])`;
  await advanceClock(setUp, "10 minutes");
  await db`select sweep_signals(500), sweep_signal_queues(500)`;
  await db`select * from queues_to_look_at(${[id]}::text[])`;
  await db`select * from cancel_signals(${org}, ${[given?.id ?? ""]}::text[], 'why')`;
  await db`select * from purge_queue(${org}, ${id}, true, 'why', 100)`;
  await db`select * from delete_queue(${org}, ${id})`;
};
