import { beforeAll, describe, expect, test } from "vitest";
import { tidyStates } from "../../../broker/retention/tidy-states.ts";
import type { RescuedState } from "../../../shared/api/rescued-states.ts";
import type { Workspace } from "../../../shared/api/terraform-workspaces.ts";
import type { WorkspaceEvent } from "../../../shared/api/workspace-events.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
let url: string;
beforeAll(async () => {
  const database = await testDatabase();
  ({ url } = database);
  at = await givenOperator("org_admin", database);
});

/** An apply whose workspace has the state of serial 1, and what may be done with one that it could not write. */
async function setup() {
  const id = await givenWorkspace(at);
  const job = await givenStateJob(at, id, { job: { operation: "apply-plan" } });
  const path = `/v1/terraform-workspaces/${id}`;
  const lock = terraformLock();
  await at.call(`POST ${path}/lock`, { body: lock });
  await at.call(`POST ${backendPath(id, lock.ID)}`, { body: stateText({ serial: 1 }) });
  await at.call(`POST ${path}/unlock`, { body: lock });
  const rescue = (body: string, token = job.token, jobId = job.jobId) =>
    at.call<RescuedState>(`POST ${path}/rescued-states?job_id=${jobId}`, {
      token,
      body,
      headers: { "content-type": "application/octet-stream" },
    });
  const push = (stateId: string, token = at.token) =>
    at.call<Workspace>(`POST ${path}/rescued-states/${stateId}/push`, {
      token,
      body: { reason: "the apply was complete" },
    });
  const list = async () => (await at.call<RescuedState[]>(`GET ${path}/rescued-states`)).body;
  const read = async () => (await at.call<Workspace>(`GET ${path}`)).body;
  return { id, path, job, lock, rescue, push, list, read };
}

const secondText = stateText({ serial: 2, secret: "planted-in-state" });

describe("a state that could not be written", () => {
  test("is kept sealed beside the revisions, and blocks the workspace", async () => {
    const { id, path, job, rescue, list, read } = await setup();
    const kept = await rescue(secondText);
    expect(kept).toMatchObject({ status: 201, body: { serial: 2, runner_job_id: job.jobId } });
    expect(await list()).toEqual([kept.body]);
    expect(await read()).toMatchObject({
      revision: 1,
      block: { kind: "state_push_failed", runner_job_id: job.jobId },
    });
    const contents = `${path}/rescued-states/${kept.body.id}/contents`;
    const authorization = `Bearer ${at.token}`;
    const sent = await fetch(at.broker.url + contents, { headers: { authorization } });
    expect(await sent.text()).toBe(secondText);
    const [part] = await at.db<{ body: Buffer }[]>`
      select body from terraform_state_parts where object_id = ${kept.body.id}`;
    expect(part?.body.includes("planted-in-state")).toBe(false);
    expect((await at.call(`GET ${backendPath(id)}`)).body).toMatchObject({ serial: 1 });
  });

  test("is kept once of the same bytes, and not at all when it is the current state", async () => {
    const { rescue, list } = await setup();
    const first = await rescue(secondText);
    const again = await rescue(secondText);
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect((await rescue(stateText({ serial: 1 }))).status).toBe(204);
    expect(await list()).toHaveLength(1);
  });

  test("is refused when it is none, when it is too large, and when twenty of its job wait", async () => {
    const { id, rescue, list, path, job } = await setup();
    expect((await rescue('{"version": 4')).status).toBe(400);
    expect((await rescue('{"version": 4}')).status).toBe(422);
    const { token } = job;
    expect((await at.call(`POST ${path}/rescued-states`, { token, body: secondText })).status).toBe(
      422,
    );
    const large = await rescue(`${secondText}${" ".repeat(64 * 1024 * 1024)}`);
    expect(large.status).toBe(413);
    for (let serial = 2; serial < 22; serial++) await rescue(stateText({ serial }));
    const full = await rescue(stateText({ serial: 22 }));
    expect(full).toMatchObject({ status: 409, body: { code: "too_many_rescued_states" } });
    expect(await list()).toHaveLength(20);
    const again = await rescue(stateText({ serial: 2 }));
    expect(again.status).toBe(201);
    const another = await givenStateJob(at, id, { job: { operation: "apply-plan" } });
    const rescued = await rescue(stateText({ serial: 23 }), another.token, another.jobId);
    expect(rescued).toMatchObject({ status: 201, body: { runner_job_id: another.jobId } });
  });

  test("comes from the job's own runner only, weeks after its end too, and then blocks nothing", async () => {
    const { id, job, rescue, read } = await setup();
    const other = await givenWorkspace(at);
    const stranger = await givenStateJob(at, other);
    for (const token of [stranger.token, stranger.runnerToken]) {
      expect((await rescue(secondText, token)).status).toBe(404);
      expect((await rescue(secondText, token, stranger.jobId)).status).toBe(404);
    }
    const foreign = await givenToken(at.db, { orgId: await givenOrg(at.db), role: "org_admin" });
    expect((await rescue(secondText, foreign)).status).toBe(404);
    await at.call(`POST /v1/runner-jobs/${job.jobId}/executions/${job.executionId}/finish`, {
      token: job.token,
      body: { status: "failed", result: { success: false } },
    });
    await advanceClock(at.db, "20 days");
    expect((await rescue(secondText, job.runnerToken)).status).toBe(201);
    expect((await read()).block).toBeNull();
    const { body } = await at.call<WorkspaceEvent[]>(`GET /v1/terraform-workspaces/${id}/events`);
    await advanceClock(at.db, "11 days");
    expect((await rescue(stateText({ serial: 3 }), job.runnerToken)).status).toBe(404);
    expect(body[0]).toMatchObject({ kind: "state-rescued", info: { runner_job_id: job.jobId } });
  });

  test("becomes the current state by an operator's word, under its id, and lifts the block", async () => {
    const { id, path, job, rescue, push, list, read } = await setup();
    const { body: kept } = await rescue(secondText);
    for (const token of [job.token, job.runnerToken]) {
      expect((await push(kept.id, token)).status).toBe(403);
    }
    const pushed = await push(kept.id);
    expect(pushed).toMatchObject({
      status: 200,
      body: { revision: 2, block: null, state: { id: kept.id, serial: 2 } },
    });
    expect(await list()).toEqual([]);
    expect((await at.call(`GET ${backendPath(id)}`)).body).toMatchObject({ serial: 2 });
    const events = await at.call<WorkspaceEvent[]>(`GET ${path}/events`);
    expect(events.body.slice(0, 2).map(({ kind }) => kind)).toEqual([
      "unblocked",
      "rescued-state-pushed",
    ]);
    expect((await push(kept.id)).body).toMatchObject({ code: "rescued_state_not_found" });
    expect((await read()).revision).toBe(2);
  });

  test("leaves a person's block and a killed apply's where they stand when it becomes current", async () => {
    const frozen = await setup();
    const { body: kept } = await frozen.rescue(secondText);
    const reason = "frozen for the audit";
    await at.call(`POST ${frozen.path}/block`, { body: { reason } });
    expect((await frozen.push(kept.id)).body).toMatchObject({ revision: 2, block: { reason } });
    const { id, rescue, push } = await setup();
    const other = await rescue(secondText);
    await at.call(`POST /v1/terraform-workspaces/${id}/unblock`, { body: { reason: "looked" } });
    const later = await givenStateJob(at, id, { job: { operation: "apply-plan" } });
    await at.call(`POST /v1/runner-jobs/${later.jobId}/executions/${later.executionId}/finish`, {
      token: later.token,
      body: {
        status: "failed",
        result: { success: false, error_metadata: { class: "state_push_failed" } },
      },
    });
    expect((await push(other.body.id)).body).toMatchObject({
      revision: 2,
      block: { kind: "state_push_failed", runner_job_id: later.jobId },
    });
  });

  test("is never forced over what does not lead to it, nor past a lock", async () => {
    const { path, lock, rescue, push, read } = await setup();
    const ids = [
      { text: stateText({ serial: 1, secret: "other" }), code: "state_serial_taken" },
      { text: stateText({ serial: 0 }), code: "state_serial_older" },
      { text: stateText({ serial: 9, lineage: "another" }), code: "state_lineage_differs" },
    ];
    for (const { text, code } of ids) {
      const { body: kept } = await rescue(text);
      expect(await push(kept.id)).toMatchObject({ status: 409, body: { code } });
    }
    const { body: kept } = await rescue(secondText);
    await at.call(`POST ${path}/unblock`, { body: { reason: "looked" } });
    await at.call(`POST ${path}/lock`, { body: lock });
    expect(await push(kept.id)).toMatchObject({ status: 423, body: { code: "workspace_locked" } });
    expect((await read()).revision).toBe(1);
  });

  test("is pushed by one of two who do so at once, over two brokers", async () => {
    const { path, rescue, read } = await setup();
    const { body: kept } = await rescue(secondText);
    const second = await startBroker({ url });
    const asked = { token: at.token, body: { reason: "whole" } };
    const answers = await Promise.all(
      [at.broker, second, at.broker, second].map(({ call }) =>
        call(`POST ${path}/rescued-states/${kept.id}/push`, asked),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 404, 404, 404,
    ]);
    expect((await read()).revision).toBe(2);
  });

  test("goes when it is discarded, and with its workspace", async () => {
    const { path, rescue, list } = await setup();
    const [one, two] = [await rescue(secondText), await rescue(stateText({ serial: 3 }))];
    const gone = await at.call(`DELETE ${path}/rescued-states/${one.body.id}?reason=older`);
    expect(gone.status).toBe(204);
    expect((await list()).map(({ id }) => id)).toEqual([two.body.id]);
    await at.call(`POST ${path}/unblock`, { body: { reason: "looked" } });
    expect((await at.call(`DELETE ${path}`)).status).toBe(200);
    await advanceClock(at.db, "16 days");
    const batches = { signal: new AbortController().signal, batch: 100 };
    await tidyStates(at.db, { revisions: 0, deletedDays: 14 }, batches);
    await tidyStates(at.db, { revisions: 0, deletedDays: 14 }, batches);
    const left = await at.db`
      select 1 from terraform_state_parts
       where object_id = any(${[one.body.id, two.body.id]})`;
    expect(left).toHaveLength(0);
  });
});
