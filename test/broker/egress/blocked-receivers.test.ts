import { describe, expect, test } from "vitest";
import type { Webhook } from "../../../shared/api/webhook.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenQueue } from "../../support/queues/given-signals.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const internal = await startBroker({ url });
const allow = { SVC_EGRESS_ALLOW: "10.7.0.0/16,127.0.0.1:9000" };
const strict = await startBroker({ url, env: { SVC_EGRESS: "", ...allow } });
const path = "/v1/orgs/current/webhooks";
const orgId = await givenOrg(db);
const token = await givenToken(db, { orgId });
const emitter = { mode: "cron", cron_schedule: "0 0 1 1 *", signal_type: "http-call" };

type Refused = { readonly errors: readonly { pointer: string; code: string; detail: string }[] };

describe("a broker that was not told where to call", () => {
  test.each([
    ["http://127.0.0.1:9001/hook", "loopback", "SVC_EGRESS_ALLOW=127.0.0.1:9001."],
    ["http://localhost:8080/", "loopback", "SVC_EGRESS_ALLOW=localhost:8080."],
    ["https://192.168.1.9/", "private network", "SVC_EGRESS_ALLOW=192.168.1.9:443."],
    ["http://169.254.169.254/", "link-local, with cloud metadata", "does not open it."],
    ["http://[::ffff:169.254.169.254]/", "link-local, with cloud metadata", "does not open it."],
  ])("refuses a webhook to %s at once, and says who can help", async (to, reason, advice) => {
    const body = { webhook_url: to };
    const made = await strict.call<Refused>(`POST ${path}`, { token, body });
    expect(made.status).toBe(422);
    expect(made.body.errors).toMatchObject([{ pointer: "#/webhook_url", code: "blocked_address" }]);
    expect(made.body.errors[0]?.detail).toContain(`: ${reason}. `);
    expect(made.body.errors[0]?.detail).toContain(advice);
    const other = await strict.call<Refused>(`POST ${path}`, { token, body: { url: to } });
    expect(other.body.errors).toMatchObject([{ pointer: "#/url" }]);
  });

  test("takes a webhook to what its operator opened, and to the public", async () => {
    for (const to of ["http://10.7.1.1/", "http://127.0.0.1:9000/", "https://8.8.8.8/hook"]) {
      const made = await strict.call(`POST ${path}`, { token, body: { webhook_url: to } });
      expect(made.status).toBe(201);
    }
  });

  test("refuses changes of a webhook that it may not call, but not its end", async () => {
    const body = { webhook_url: "http://127.0.0.1:9002/" };
    const { id } = (await internal.call<Webhook>(`POST ${path}`, { token, body })).body;
    const changed = await strict.call<Refused>(`PATCH ${path}/${id}`, {
      token,
      body: { webhook_secret: "new" },
    });
    expect(changed.status).toBe(422);
    expect(changed.body.errors).toMatchObject([
      { pointer: "#/webhook_url", code: "blocked_address" },
    ]);
    expect((await strict.call(`DELETE ${path}/${id}`, { token })).status).toBe(204);
  });

  test("tells its operator at its start how many it blocks", async () => {
    const org = await givenOrg(db);
    const theirs = await givenToken(db, { orgId: org });
    const { queueId } = await givenQueue(db, { orgId: org });
    const make = async (what: string, body: object): Promise<void> => {
      expect((await internal.call(what, { token: theirs, body })).status).toBe(201);
    };
    for (const n of [1, 2, 3]) {
      await make(`POST ${path}`, { webhook_url: `http://127.0.0.1:9100/${n}?token=hunter2` });
    }
    const called = { ...emitter, signal_template: { url: "http://10.1.1.1/x?token=hunter2" } };
    await make(`POST /v1/queues/${queueId}/emitters`, { ...called, name: "inside" });
    const opened = { ...emitter, signal_template: { url: "http://10.7.1.1/x" } };
    await make(`POST /v1/queues/${queueId}/emitters`, { ...opened, name: "opened" });
    const wide = { SVC_EGRESS_ALLOW: `${allow.SVC_EGRESS_ALLOW},169.254.0.0/15` };
    const { logged } = await startBroker({ url, env: { SVC_EGRESS: "strict", ...wide } });
    await expect.poll(() => logged.find((line) => line.includes("blocked_webhooks"))).toBeDefined();
    const told = logged.find((line) => line.includes("blocked_webhooks")) ?? "";
    expect(JSON.parse(told)).toMatchObject({
      level: "warn",
      egress: "strict",
      blocked_webhooks: 3,
      blocked_emitters: 1,
      unresolved_names: 0,
      receivers: ["http://127.0.0.1:9100", "http://10.1.1.1"],
    });
    expect(told).not.toContain("hunter2");
    const closed = logged.find((line) => line.includes("stay closed")) ?? "";
    expect(JSON.parse(closed)).toMatchObject({ level: "warn", entries: [3] });
  });
});
