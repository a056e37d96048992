import { randomUUID } from "node:crypto";
import { claimJobsRoute } from "../../shared/api/poll-jobs.ts";
import { registerProcessRoute, updateProcessRoute } from "../../shared/api/runner-process.ts";
import { getOwnTokenRoute } from "../../shared/api/tokens.ts";
import { version } from "../../shared/version.ts";
import { askBroker } from "./ask-broker.ts";
import { type DoctorContext, failed, type Found, leftOut, ok } from "./finding.ts";

/** How much sooner than asked an answer may come and still count as held. */
const earlyMs = 1_000;

/** Whether a poll can be held as long as the agent wants, and after how long it is cut if not. */
export async function checkHeldPoll(context: DoctorContext): Promise<Found> {
  const { token, config } = context;
  if (token === undefined) return leftOut("There is no token.");
  const known = await askBroker(context, getOwnTokenRoute, {}, { token });
  const runnerId = config.runner ?? known.body?.runner_id;
  if (known.body === undefined || runnerId == null) return leftOut("The token reaches no runner.");
  const params = { runner_id: runnerId };
  // A process without slots, so that it claims no jobs.
  const body = { type: config.mode, version, groups: {} };
  const made = await askBroker(context, registerProcessRoute, { params, body }, { token });
  if (made.body === undefined) {
    return failed(`A process cannot be registered: the broker answers ${made.status}.`);
  }
  const process = { ...params, process_id: made.body.id };
  try {
    return await hold(context, process, token);
  } finally {
    const end = { status: "shut-down", status_description: "svc-agent doctor is done." } as const;
    await askBroker(context, updateProcessRoute, { params: process, body: end }, { token });
  }
}

async function hold(
  context: DoctorContext,
  { runner_id, process_id }: { runner_id: string; process_id: string },
  token: string,
): Promise<Found> {
  const waitMs = context.config.claimWait;
  const body = { process_id, poll_id: randomUUID(), groups: {}, wait: `${waitMs}ms` };
  const how = { token, timeoutMs: waitMs + context.patienceMs };
  const startedMs = performance.now();
  const asked = await askBroker(
    context,
    claimJobsRoute,
    { params: { runner_id }, body },
    how,
  ).catch((error: Error) => error);
  const heldMs = performance.now() - startedMs;
  const held = `${(heldMs / 1000).toFixed(1)} s`;
  if (asked instanceof Error) return cut(held, asked.message, waitMs);
  if (asked.body === undefined) {
    return asked.code === undefined
      ? cut(held, `${asked.status}, not in the broker's words`, waitMs)
      : failed(`The broker refuses the poll: ${asked.status} ${asked.code}.`);
  }
  if (asked.body.orders.length > 0) return ok(`It was answered after ${held}: there was an order.`);
  if (heldMs >= waitMs - earlyMs) return ok(`A poll was held for ${held}.`);
  return failed(
    `A poll returned empty after ${held} of ${waitMs / 1000} s.`,
    "The broker was shutting down, or a proxy answered instead. Try again.",
  );
}

const cut = (held: string, why: string, waitMs: number): Found =>
  failed(
    `A poll was cut after ${held}: ${why}`,
    `A proxy or load balancer closes idle requests too early: raise its timeout to ${waitMs / 1000 + 10} s, or lower claim-wait.`,
  );
