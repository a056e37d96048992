import { describe, expect, test } from "vitest";
import { givenAudit } from "../../support/broker/given-audit.ts";

const { broker, admin, events } = await givenAudit();
const { call } = broker;

const actionsOn = async (id: string) =>
  (await events(`target_id=${id}`)).map(({ action }) => action);

describe("a read", () => {
  test("of an emitter is told when its answer has data of signals", async () => {
    const queue = { token: admin, body: { name: "emitting" } };
    const { body: made } = await call<{ id: string }>("POST /v1/queues", queue);
    const queueId = made.id;
    const emitter = async (name: string, template: Record<string, unknown>) => {
      const body = { name, mode: "scheduled", scheduled_at: "2090-01-01T00:00:00Z" };
      const more = { signal_type: "own-type", signal_template: template };
      const emitted = await call<{ id: string }>(`POST /v1/queues/${queueId}/emitters`, {
        token: admin,
        body: { ...body, ...more },
      });
      expect(emitted.status).toBe(201);
      return emitted.body.id;
    };
    const [bare, full] = [await emitter("bare", {}), await emitter("full", { key: "hidden" })];
    const read = async (path: string) =>
      (await call(`GET /v1/emitters/${path}`, { token: admin })).body;
    expect(await read(bare)).toMatchObject({ signal_template: {}, signal_template_hidden: false });
    const without = { signal_template: null, signal_template_hidden: true };
    expect(await read(`${full}?data=false`)).toMatchObject(without);
    expect(await actionsOn(full)).toEqual(["createEmitter"]);
    expect(await read(full)).toMatchObject({ signal_template: { key: "hidden" } });
    expect(await actionsOn(bare)).toEqual(["createEmitter"]);
    expect(await actionsOn(full)).toEqual(["getEmitter", "createEmitter"]);
  });
});
