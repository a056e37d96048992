import { describe, expect, test } from "vitest";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { InstallUpdate } from "../../../shared/api/update-installs.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { db, setup: setupApi, call } = await givenWorkflowsApi();

type Answer = {
  installs: InstallUpdate[];
  next_after: string | null;
  code?: string;
  errors?: { pointer: string }[];
};

async function setup() {
  const org = await setupApi();
  const update = (config: string, body: object) =>
    org.api<Answer>(`POST /v1/apps/${org.appId}/configs/${config}/update-installs`, body);
  const make = async (name: string) => (await org.create({ name, start: false })).body.id;
  return { ...org, update, make };
}

describe("a config that is brought to many installs", () => {
  test("begins a workflow for each, once, and tells which have it", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const idle = await org.make("idle");
    const { id } = (await org.sync({ ...shopConfig, "runner.toml": { runner_type: "local" } }))
      .body;
    const first = await org.update(id, { update_all: true });
    expect([first.status, first.body.next_after]).toEqual([200, null]);
    expect(first.body.installs).toMatchObject([
      { install_id: installId, outcome: "begun", code: null },
      { install_id: idle, outcome: "begun" },
    ]);
    const workflow = first.body.installs[0]?.workflow_id ?? "";
    const again = await org.update(id, { install_ids: [idle, installId] });
    expect(again.body.installs.map(({ outcome }) => outcome)).not.toContain("refused");
    await org.reach(workflow, "success");
    const after = await org.update(id, { install_ids: [installId] });
    expect(after.body.installs).toMatchObject([{ install_id: installId, outcome: "unchanged" }]);
    const back = await org.update(org.configId, { install_ids: [installId] });
    expect(back.body.installs).toMatchObject([{ outcome: "begun" }]);
  });

  test("goes on behind what was refused, and says why it was", async () => {
    const org = await setup();
    const [first, second] = [await org.make("one"), await org.make("two")];
    const [lane] = await db<{ id: string }[]>`
      select id from queues where install_id = ${first} and name = 'changes'`;
    await org.api(`POST /v1/queues/${lane?.id}/pause`, {});
    await db`update queue_counters set max_depth = 1 where queue_id = ${lane?.id ?? ""}`;
    expect((await org.api(`POST /v1/installs/${first}/reprovision`, {})).status).toBe(201);
    const gone = `ins_${"0".repeat(26)}`;
    const { status, body } = await org.update(org.configId, { install_ids: [gone, first, second] });
    expect(status).toBe(200);
    expect(body.installs).toMatchObject([
      { install_id: first, outcome: "refused", code: "queue_full", workflow_id: null },
      { install_id: second, outcome: "begun" },
      { install_id: gone, outcome: "refused", code: "install_not_found" },
    ]);
    const behind = await org.update(org.configId, { update_all: true, after: first });
    expect(behind.body.installs).toMatchObject([{ install_id: second, outcome: "unchanged" }]);
  });

  test("is refused whole where it could come to none, or says not which", async () => {
    const org = await setup();
    const begun = await org.api<{ id: string }>(`POST /v1/apps/${org.appId}/configs`, {});
    expect(await org.update(begun.body.id, { update_all: true })).toMatchObject({
      status: 409,
      body: { code: "config_not_active" },
    });
    expect((await org.update(`cfg_${"0".repeat(26)}`, { update_all: true })).status).toBe(404);
    const many = Array.from({ length: 101 }, (_, at) => `ins_${at}`);
    const wrong = [{}, { update_all: true, install_ids: ["ins_1"] }, { install_ids: many }];
    for (const body of [...wrong, { install_ids: ["ins_1"], after: "ins_0" }])
      expect((await org.update(org.configId, body)).status).toBe(422);
  });

  test("comes by a bound token to its own installs only", async () => {
    const org = await setup();
    const [own, other] = [await org.make("own"), await org.make("other")];
    const made = { name: "t", kind: "sa", role: "installer", createdById: "" } as const;
    const bound = { type: "installs", id: own } as const;
    const { secret: token } = await createToken(db, org.orgId, { ...made, bound });
    const path = `POST /v1/apps/${org.appId}/configs/${org.configId}/update-installs`;
    const answer = await call<Answer>(path, { token, body: { install_ids: [own, other] } });
    const reached = answer.body.installs?.filter(({ outcome }) => outcome !== "refused") ?? [];
    expect(reached.map(({ install_id: id }) => id)).not.toContain(other);
  });
});
