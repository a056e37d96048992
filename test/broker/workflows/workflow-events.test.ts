import { CloudEvent, HTTP } from "cloudevents";
import { describe, expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { type Received, startReceiver } from "../../support/queues/start-receiver.ts";
import { givenProcess } from "../../support/rows/given.ts";
import { expectDescribed } from "../../support/webhooks/expect-sound-events.ts";
import { givenInstall, givenWorkflowsApi, stepIn } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({ brokers: 2 });

type Told = {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly svctransition: string;
  readonly data: {
    readonly workflow: { readonly id: string };
    readonly step?: { readonly id: string; readonly name: string };
    readonly approval?: { readonly expires_at: string };
    readonly outcome?: { readonly error?: string };
  };
};
const toldOf = ({ body }: Received): Told => JSON.parse(body) as Told;

/** What an org's webhook was told of one workflow, in its order, each event once. */
async function hear(
  org: Awaited<ReturnType<typeof setup>>,
  replies: Parameters<typeof startReceiver>[0] = {},
) {
  const receiver = await startReceiver(replies);
  const created = await org.api("POST /v1/orgs/current/webhooks", {
    webhook_url: `${receiver.url}/hook`,
    webhook_secret: "hush",
  });
  expect(created.status).toBe(201);
  const of = (workflowId: string): Told[] => {
    const seen = new Set<string>();
    return receiver.received
      .map(toldOf)
      .filter(({ id, data }) => data.workflow.id === workflowId && !seen.has(id) && seen.add(id));
  };
  const lines = (workflowId: string): string[] =>
    of(workflowId).map(
      ({ svctransition, data }) => `${data.step?.name ?? "workflow"} ${svctransition}`,
    );
  return { receiver, of, lines };
}

const careful = [
  "workflow started",
  "generate install state started",
  "generate install state succeeded",
  "approve careful started",
  "approve careful requested",
  "approve careful approved",
  "approve careful succeeded",
  "careful action run (manual) started",
  "careful action run (manual) succeeded",
  "workflow succeeded",
];

describe("events of a workflow", () => {
  test("tell each begin and each end once, in their order, as CloudEvents", async () => {
    const org = await setup();
    const { receiver, lines } = await hear(org);
    const { installId } = await givenInstall(org);
    const { body } = await org.run(installId, "careful");
    const step = stepIn(
      await org.reach(body.workflow_id, "approval-awaiting"),
      "approval-awaiting",
    );
    await org.respond(step, { response_type: "approve" });
    await org.reach(body.workflow_id, "success");
    await until(async () =>
      Promise.resolve(lines(body.workflow_id).includes("workflow succeeded")),
    );
    expect(lines(body.workflow_id)).toEqual(careful);
    for (const { headers, body: text } of receiver.received) {
      const event = HTTP.toEvent({ headers, body: text });
      expect(event instanceof CloudEvent && event.validate()).toBe(true);
      expectDescribed(text);
    }
  });

  test.each([
    ["approve", "ship it", "approved"],
    ["approve", "", "approved"],
    ["deny", "not today", "rejected"],
    ["deny-skip-current", "", "rejected"],
  ])("tell of an approval, and of its answer %s %j, with when it expires", async (...given) => {
    const [type, note, transition] = given;
    const org = await setup();
    const { of } = await hear(org);
    const { installId } = await givenInstall(org);
    const { body } = await org.run(installId, "careful");
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    const step = stepIn(waiting, "approval-awaiting");
    await org.respond(step, { response_type: type, note });
    await org.reach(body.workflow_id, "success", "error");
    const told = () => of(body.workflow_id).filter(({ data }) => data.approval !== undefined);
    await until(async () => Promise.resolve(told().length === 2));
    const { id, type: kind, expires_at: expiresAt } = step.approval ?? {};
    const asked = { id, type: kind, expires_at: expiresAt };
    const answered = { ...asked, response_type: type, ...(note !== "" && { note }) };
    const seen = told().map(({ svctransition, data }) => [svctransition, data.approval]);
    expect(seen).toEqual([
      ["requested", asked],
      [transition, answered],
    ]);
    if (type !== "deny") return;
    const errors = () => of(body.workflow_id).flatMap(({ data }) => data.outcome?.error ?? []);
    await until(async () => Promise.resolve(errors().length === 2));
    expect(errors()).toEqual([
      "it was denied: not today",
      "approve careful: it was denied: not today",
    ]);
  });

  test("keep their order at a receiver that fails now and then", async () => {
    const org = await setup();
    const fails = (nth: number) => ({ status: nth % 3 === 0 ? 500 : 200 });
    const { receiver, lines } = await hear(org, { "/hook": fails });
    const { installId } = await givenInstall(org);
    const { body } = await org.run(installId, "greet");
    await org.reach(body.workflow_id, "success");
    for (let n = 0; n < 40 && !lines(body.workflow_id).includes("workflow succeeded"); n++) {
      const before = receiver.received.length;
      await advanceClock(db, "31 seconds");
      await until(async () => Promise.resolve(receiver.received.length > before)).catch(() => {});
    }
    expect(lines(body.workflow_id)).toEqual([
      "workflow started",
      "generate install state started",
      "generate install state succeeded",
      "greet action run (manual) started",
      "greet action run (manual) succeeded",
      "workflow succeeded",
    ]);
  });

  test("of a runner that the broker gives up go by the labels of its install", async () => {
    const org = await setup();
    const { receiver } = await hear(org);
    const selected = async (env: string) =>
      await org.api("POST /v1/orgs/current/webhooks", {
        webhook_url: `${receiver.url}/${env}`,
        match: { installs: { selector: { match_labels: { env } } } },
      });
    await selected("prod");
    await selected("test");
    const { installId, runner } = await givenInstall(org, { labels: { env: "prod" } });
    await givenProcess(db, runner);
    await advanceClock(db, "301 s");
    const inactive = () =>
      receiver.received.filter(({ body }) => body.includes("op:runners.inactive"));
    await until(() => inactive().some(({ path }) => path === "/prod"));
    expect(inactive().some(({ path }) => path === "/test")).toBe(false);
    for (const { body } of inactive()) expect(body).toContain(`"owner_id":"${installId}"`);
  });
});
