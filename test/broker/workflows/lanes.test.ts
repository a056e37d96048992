import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import { until } from "../../support/broker/given-polling.ts";
import type { ClaimedJob } from "../../support/broker/http-agent.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { beat } from "../../support/rows/given.ts";
import {
  type End,
  givenInstall,
  givenWorkflowsApi,
  stepIn,
} from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi();

describe("a lane of an install", () => {
  test("that is full refuses another change, of which nothing is done", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const at = `/v1/installs/${installId}`;
    const lane = await laneOf(org, installId, "changes");
    await org.api(`PATCH /v1/queues/${lane}`, { max_depth: 1 });
    await org.api(`POST /v1/queues/${lane}/pause`, {});
    expect((await org.api(`POST ${at}/reprovision`, {})).status).toBe(201);
    const refused = await org.api(`PATCH ${at}/inputs`, { inputs: { audience: "moon" } });
    expect(refused).toMatchObject({ status: 429, body: { code: "queue_full" } });
    expect((await org.api(`GET ${at}/inputs/current`)).body).toMatchObject({
      version: 1,
      values: { audience: "world" },
    });
  });

  test("keeps its name, and that changes come one at a time", async () => {
    const org = await setup();
    const { body } = await org.create({ start: false });
    const changes = await laneOf(org, body.id, "changes");
    const managed = { status: 409, body: { code: "managed_queue" } };
    expect(await org.api(`PATCH /v1/queues/${changes}`, { max_in_flight: 2 })).toMatchObject(
      managed,
    );
    expect(await org.api(`PATCH /v1/queues/${changes}`, { name: "mine" })).toMatchObject(managed);
    const same = { name: "changes", max_in_flight: 1, max_depth: 5 };
    expect((await org.api(`PATCH /v1/queues/${changes}`, same)).status).toBe(200);
    const actions = await laneOf(org, body.id, "actions");
    expect((await org.api(`PATCH /v1/queues/${actions}`, { max_in_flight: 8 })).status).toBe(200);
  });

  test("cannot be deleted by itself, and goes with its install", async () => {
    const org = await setup();
    const { body } = await org.create({ start: false });
    const lane = await laneOf(org, body.id, "actions");
    expect(await org.api(`DELETE /v1/queues/${lane}`)).toMatchObject({
      status: 409,
      body: { code: "managed_queue" },
    });
    expect((await org.api(`POST /v1/installs/${body.id}/forget`, { confirm: "acme" })).status).toBe(
      200,
    );
    expect((await org.api(`GET /v1/queues/${lane}`)).status).toBe(404);
  });

  test("that is gone all the same is told to whoever needs it", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const { body } = await org.run(installId, "careful");
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    const step = waiting.steps.find(({ approval }) => approval !== undefined);
    if (step === undefined) throw new Error("nothing waits");
    await org.respond(step, { response_type: "deny" });
    await org.reach(body.workflow_id, "error");
    await org.db`update queues set deleted_at = now() where install_id = ${installId}`;
    const gone = { status: 409, body: { code: "lane_gone" } };
    expect(await org.api(`POST /v1/workflows/${body.workflow_id}/resume`)).toMatchObject(gone);
    expect(await org.run(installId, "greet")).toMatchObject(gone);
    expect((await org.read(body.workflow_id)).body.status.status).toBe("error");
  });
});

describe("a workflow of actions that waits for a person", () => {
  test("gives its place to others, and takes one again before those filed after it, however full the lane is", async () => {
    const org = await setup();
    const ends = (plan: string) => (plan.includes("Hello") ? "held" : "finished");
    const { installId, agent } = await givenInstall(org, { ends });
    const lane = await laneOf(org, installId, "actions");
    await org.api(`PATCH /v1/queues/${lane}`, { max_in_flight: 1 });
    const begin = async (name: string) => (await org.run(installId, name)).body.workflow_id;
    const careful = await begin("careful");
    const waiting = await org.reach(careful, "approval-awaiting");
    const first = await begin("greet");
    await until(() => agent.held.length === 1);
    const second = await begin("greet");
    expect((await org.api(`GET /v1/workflows/${second}/queue-position`)).body).toEqual({
      position: 2,
      queue_depth: 3,
      signals_ahead: [
        expect.objectContaining({ workflow_id: careful, status: "approval-awaiting" }),
        expect.objectContaining({ workflow_id: first, status: "in-progress" }),
      ],
    });
    await org.api(`PATCH /v1/queues/${lane}`, { max_depth: 1 });
    const approved = await org.respond(stepIn(waiting, "approval-awaiting"), {
      response_type: "approve",
    });
    expect(approved.status).toBe(201);
    await until(
      async () =>
        (await descriptionOf(org, careful)) === "Waiting for a place in its lane to continue.",
    );
    expect(agent.plans.some((plan) => plan.includes("echo world"))).toBe(false); // it has not begun
    await agent.end(agent.held[0] as ClaimedJob, "finished"); // it is held
    await org.reach(careful, "success");
    expect(await descriptionOf(org, careful)).toBe("");
    await until(() => agent.held.length === 2);
    await agent.end(agent.held[1] as ClaimedJob, "finished");
    await org.reach(second, "success");
  });

  test("keeps nobody waiting though it failed long ago, is gone on with all the same, and ends with a purge", async () => {
    const org = await setup();
    let end: End = "failed";
    const { installId, agent } = await givenInstall(org, {
      ends: (plan) => (plan.includes("Hello") ? end : "finished"),
    });
    const lane = await laneOf(org, installId, "actions");
    await org.api(`PATCH /v1/queues/${lane}`, { max_in_flight: 2 });
    const begin = async (name: string) => (await org.run(installId, name)).body.workflow_id;
    const failed = [await begin("greet"), await begin("greet")] as const;
    for (const id of failed) await org.reach(id, "failed-pending-retry");
    const careful = await begin("careful");
    await org.reach(careful, "approval-awaiting");
    end = "finished";
    await org.reach(await begin("greet"), "success");
    await advanceClock(org.db, "2 hours");
    await beat(org.db, [agent.processId], []);
    const [again, left] = failed;
    await org.reach(await begin("greet"), "success");
    const step = stepIn((await org.read(again)).body, "failed-pending-retry");
    await org.api(`POST /v1/workflows/${again}/steps/${step.id}/retry`);
    await org.reach(again, "success");
    expect((await org.api(`POST /v1/queues/${lane}/purge`, {})).status).toBeLessThan(300);
    await org.reach(left, "cancelled");
    await org.reach(careful, "cancelled");
  });

  test("that ends without its place has that end as it did, and not as cancelled", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const endOf = async (id: string) => {
      const [row] = await org.db<{ status: string; why: string }[]>`
        select e.status, e.status_description as why from workflows w
          join queue_signal_ends e on e.signal_id = w.signal_id where w.id = ${id}`;
      return row;
    };
    const begin = async () => (await org.run(installId, "careful")).body.workflow_id;
    const [denied, called] = [await begin(), await begin()];
    const step = stepIn(await org.reach(denied, "approval-awaiting"), "approval-awaiting");
    await org.respond(step, { response_type: "deny" });
    await org.reach(denied, "error");
    expect(await endOf(denied)).toEqual({ status: "finished", why: "the workflow ended as error" });
    await org.reach(called, "approval-awaiting");
    await org.api(`POST /v1/workflows/${called}/cancel`, {});
    await org.reach(called, "cancelled");
    expect(await endOf(called)).toMatchObject({ status: "cancelled" });
  });
});

const descriptionOf = async (
  { read }: Awaited<ReturnType<typeof setup>>,
  id: string,
): Promise<string> => (await read(id)).body.status.status_human_description;

async function laneOf(
  { api }: Awaited<ReturnType<typeof setup>>,
  installId: string,
  lane: string,
): Promise<string> {
  const { queues } = (await api<Install>(`GET /v1/installs/${installId}`)).body;
  return queues.find(({ name }) => name === lane)?.id ?? "";
}
