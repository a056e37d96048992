import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { ShownStep, WholeWorkflow } from "../../shared/api/workflow.ts";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { walks } from "../support/model/walks.ts";
import { expectToldOnce } from "../support/workflows/expect-told-once.ts";
import { givenInstall, givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const { db, url, setup } = await givenWorkflowsApi();

const wishes = [
  "wake",
  "approve",
  "approve",
  "deny",
  "deny-skip-current",
  "replan",
  "retry",
  "retry",
  "skip",
  "cancel",
  "cancel-step",
  "resume",
  "kill",
] as const;
const step = fc.record({
  wish: fc.constantFrom(...wishes),
  at: fc.nat({ max: 5 }),
  isDying: fc.boolean(),
});
const walk = fc.record({
  ends: fc.array(fc.constantFrom("finished", "finished", "failed"), {
    minLength: 200,
    maxLength: 200,
  }),
  steps: fc.array(step, { minLength: 40, maxLength: 60 }),
});
type Walk = typeof walk extends fc.Arbitrary<infer It> ? It : never;

const responses = {
  approve: "approve",
  deny: "deny",
  "deny-skip-current": "deny-skip-current",
  replan: "retry",
} as const;

async function start(): Promise<BrokerProcess> {
  const broker = await startBrokerProcess(url);
  onTestFinished(() => broker.kill());
  return broker;
}

/** Six runs of actions, of which somebody wants this and that, at two brokers of which one is killed again and again. */
async function walkThrough({ ends, steps }: Walk) {
  const org = await setup();
  let nth = 0;
  let isOver = false;
  const { installId, agent } = await givenInstall(org, {
    ends: (plan) =>
      isOver || !/echo (?:Hello|world)/.test(plan)
        ? "finished"
        : (ends[nth++ % ends.length] ?? "finished"),
  });
  let dying = await start();
  const ids: string[] = [];
  for (const name of ["careful", "greet", "careful", "greet", "careful", "greet"])
    ids.push((await org.run(installId, name)).body.workflow_id);
  const read = async (id: string) => (await org.read(id)).body;
  const ask = (isDying: boolean) => async (what: string, body?: unknown) => {
    const at = isDying ? dying.url : (org.brokers[0]?.url ?? "");
    await send(at, what, { token: org.token, ...(body !== undefined && { body }) });
  };
  const inFlight: Promise<unknown>[] = [];
  for (const { wish, at, isDying } of steps) {
    const id = ids[at] ?? "";
    if (wish === "kill") {
      await dying.kill();
      dying = await start();
    } else if (wish === "wake") {
      // A wake that comes twice at once, to whichever broker.
      const payload = JSON.stringify({ org_id: org.orgId, workflow_id: id });
      await db`select graphile_worker.add_job(workflow_task(), ${payload}::text::json) from generate_series(1, 2)`;
    } else {
      const acted = act(ask(isDying), await read(id), wish);
      inFlight.push(acted.catch(() => {})); // its broker may be killed meanwhile
    }
  }
  await Promise.all(inFlight);
  isOver = true;
  await until(async () => {
    await advanceClock(db, "5 seconds", { alive: [agent.processId] }); // a killed broker's tasks come back by their clocks
    const all = await Promise.all(ids.map(read));
    for (const one of all) {
      await act(ask(false), one, "approve");
      await act(ask(false), one, "retry");
      await act(ask(false), one, "skip"); // what was retried too often
    }
    return all.every(({ finished }) => finished);
  });
  await dying.kill();
  return ids;
}

type Ask = (what: string, body?: unknown) => Promise<void>;

/** Does it where there is anything to do it to; a refusal changes nothing. */
async function act(
  ask: Ask,
  workflow: WholeWorkflow,
  wish: Exclude<Walk["steps"][number]["wish"], "wake" | "kill">,
): Promise<void> {
  const path = `POST /v1/workflows/${workflow.id}`;
  const stepIn = (...statuses: string[]): ShownStep | undefined =>
    workflow.steps.find(({ status }) => statuses.includes(status.status));
  if (wish === "cancel" || wish === "resume") await ask(`${path}/${wish}`);
  else if (wish === "cancel-step") {
    const open = stepIn("in-progress", "approval-awaiting");
    if (open !== undefined) await ask(`${path}/steps/${open.id}/cancel`);
  } else if (wish === "retry" || wish === "skip") {
    const failed = stepIn("failed-pending-retry");
    if (failed !== undefined) await ask(`${path}/steps/${failed.id}/${wish}`);
  } else {
    const waiting = stepIn("approval-awaiting");
    if (waiting === undefined) return;
    const at = `${path}/steps/${waiting.id}/approvals/${waiting.approval?.id ?? ""}/response`;
    await ask(at, { response_type: responses[wish] });
  }
}

test("workflows that brokers are killed under, whatever somebody wants of them, end once and tell each begin and end once", async () => {
  await fc.assert(
    fc.asyncProperty(walk, async (drawn) => {
      const ids = await walkThrough(drawn);
      for (const id of ids) await expectToldOnce(db, id);
      const places = await db`
        select from queue_signal_live l join workflows w on w.signal_id = l.id where w.id = any(${ids})`;
      expect(places).toHaveLength(0);
    }),
    { ...walks(3), endOnFailure: true },
  );
});
