import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import { signIn } from "../../support/browser/given-dashboard.ts";
import { advanceClock } from "../../support/database/clock.ts";
import {
  type Caller,
  failedStep,
  failing,
  givenPeople,
  waitingStep,
} from "../../support/workflows/given-people.ts";
import { givenWorkflowsApi, shopConfig } from "../../support/workflows/workflows-api.ts";

const given = await givenWorkflowsApi();
const { db } = given;

let org: Awaited<ReturnType<typeof givenPeople>>;
beforeAll(async () => {
  org = await givenPeople(given);
});
afterEach(() => org.cancelAll());
const refusal = { status: 403, body: { code: "self_approval" } };

describe("an install's approve-all", () => {
  const set = (who: Caller, approval_option: string) =>
    who.api(`PATCH /v1/installs/${org.installId}`, { install_config: { approval_option } });

  test("does not answer for a workflow of who set it, and does for others'", async () => {
    expect((await set(await org.x.mint(), "approve-all")).status).toBe(200);
    const step = await waitingStep(org, await org.x.begin());
    expect(step.status.status_human_description).toContain("someone else must approve");
    await org.reach(await org.y.begin(), "success");
    expect((await org.y.approveAll(step.workflow_id)).status).toBe(200);
    await org.reach(step.workflow_id, "success");
    await set(org.y, "prompt");
  });

  test("does not answer where nobody knows who set it, until somebody does again", async () => {
    await set(org.y, "approve-all");
    await db`update installs set approve_all_chain = null where id = ${org.installId}`; // of a version before
    await waitingStep(org, await org.x.begin());
    const config = { approval_option: "approve-all" };
    await org.y.api(`POST /v1/installs/${org.installId}/configs`, config);
    await org.reach(await org.x.begin(), "success");
    await set(org.y, "prompt");
  });

  test("ends with a retry by who set it for one workflow", async () => {
    const id = await org.x.begin(failing);
    expect((await org.y.approveAll(id)).status).toBe(200);
    const step = await failedStep(org, id);
    await org.y.api(`POST /v1/workflows/${id}/steps/${step.id}/retry`);
    const again = await waitingStep(org, id);
    expect(again.retry_index).toBe(1);
  });
});

test("an ad hoc run waits for an approval, asked or not", async () => {
  const adhoc = { name: "fix", command: "echo fix", approval: false };
  const begun = await org.x.api<{ workflow_id: string }>(
    `POST /v1/installs/${org.installId}/actions/adhoc-run`,
    adhoc,
  );
  const step = await waitingStep(org, begun.body.workflow_id);
  expect(await org.x.respond(step)).toMatchObject(refusal);
  expect((await org.y.respond(step)).status).toBe(201);
  await org.reach(begun.body.workflow_id, "success");
});

test("the dashboard's button says why it does not approve", async () => {
  const step = await waitingStep(org, await org.x.begin());
  const url = given.brokers[0]?.url ?? "";
  const { body } = await org.x.api<{ path: string }>("POST /v1/sign-in-links");
  const cookie = await signIn(url + body.path);
  const answer = await fetch(`${url}/workflows/${step.workflow_id}/steps/${step.id}/approve`, {
    method: "POST",
    body: new URLSearchParams({ note: "", digest: step.approval?.plan_digest ?? "" }),
    headers: { cookie, "sec-fetch-site": "same-origin" },
    redirect: "manual",
  });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("somebody else approve it");
  expect((await waitingStep(org, step.workflow_id)).id).toBe(step.id);
});

test("who made and who applied the config of a cron trigger, and who fired it, do not approve its run", async () => {
  const clockwork = (command: string) => ({
    ...shopConfig,
    actions: {
      "tidy.toml": {
        name: "tidy",
        approval: true,
        triggers: [{ type: "cron", cron_schedule: "*/10 * * * *" }],
        steps: [{ name: "run", command }],
      },
    },
  });
  const people = await givenPeople(given, clockwork("echo one"));
  const { w, x, y, z, appId, installId, api } = people;
  const synced = await x.api<{ id: string }>(
    `POST /v1/apps/${appId}/configs/sync`,
    clockwork("echo two"),
  );
  const applied = await y.api<{ workflow_id: string }>(
    `POST /v1/installs/${installId}/app-config-updates`,
    { app_config_id: synced.body.id },
  );
  await people.reach(applied.body.workflow_id, "success");
  const again = await w.api<{ workflow_id: string }>(
    `POST /v1/installs/${installId}/reprovision`,
    {},
  );
  await people.reach(again.body.workflow_id, "success"); // the same config: y's part stays
  const lists = "GET /v1/emitters?cursor=&signal_type=action-run";
  let emitters: { id: string; status: { status: string } }[] = [];
  await until(async () => {
    emitters = (await api<{ items: typeof emitters }>(lists)).body.items;
    return emitters[0]?.status.status === "active";
  });
  const runOf = async (count: number) => {
    let runs: { workflow_id: string }[] = [];
    await until(async () => {
      runs = (await api<typeof runs>(`GET /v1/installs/${installId}/actions/runs`)).body;
      return runs.length === count;
    });
    return await waitingStep(people, runs[0]?.workflow_id ?? "");
  };
  const f = await x.mint(); // a machine's
  const fired = await z.api(`POST /v1/emitters/${emitters[0]?.id ?? ""}/fire`);
  expect(fired.status).toBe(201);
  const byHand = await runOf(1);
  for (const who of [x, y, z, w, f]) expect(await who.respond(byHand)).toMatchObject(refusal);
  await people.cancelAll();
  await advanceClock(db, "10 minutes", { alive: [people.agent.processId] });
  const ticked = await runOf(2);
  for (const who of [x, y, w, f]) expect(await who.respond(ticked)).toMatchObject(refusal);
  expect((await z.respond(ticked)).status).toBe(201);
});

test("behind a config stand all who made a part of it, and who put it in force", async () => {
  const { x, y, z, appId } = org;
  const at = `/v1/apps/${appId}`;
  const begun = await x.api<{ id: string }>(`POST ${at}/configs`, {});
  const app_config_id = begun.body.id;
  const action = { name: "tidy", steps: [{ name: "run", command: "echo" }], app_config_id };
  expect((await y.api(`POST ${at}/actions`, action)).status).toBe(201);
  const active = await z.api(`PATCH ${at}/configs/${app_config_id}`, { status: "active" });
  expect([active.status, active.body.detail]).toEqual([201, undefined]);
  const [row] = await db<{ chain: string[] }[]>`
    select chain from app_configs where id = ${app_config_id}`;
  expect(row?.chain).toEqual([x.id, y.id, z.id].toSorted());
});

test("who began changes of an install is each found once, runs of actions left out", async () => {
  const { installId } = org;
  const all = await db<{ by: string; type: string }[]>`
    select created_by_id as by, type from workflows where owner_id = ${installId} order by id`;
  const changes = all.filter(({ type }) => type !== "action_workflow_run").map(({ by }) => by);
  expect(all.length).toBeGreaterThan(changes.length);
  const [row] = await db<{ found: string[] }[]>`select changers_of(${installId}) as found`;
  expect(row?.found.toSorted()).toEqual([...new Set(changes)].toSorted());
  expect(changes).not.toEqual([]);
});
