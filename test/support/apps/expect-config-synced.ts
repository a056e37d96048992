import { expect } from "vitest";
import { send } from "../broker/broker.ts";
import { documentOf } from "./given-app.ts";

/** Has a broker sync a config and refuse another, both of which its child processes read. */
export async function expectConfigSynced(url: string, token: string): Promise<void> {
  const call = <T>(what: string, body: unknown) => send<T>(url, what, { token, body });
  const { id } = (await call<{ id: string }>("POST /v1/apps", { name: "shop" })).body;
  const sync = (document: object) => call(`POST /v1/apps/${id}/configs/sync`, document);
  expect(await sync(documentOf("shop"))).toMatchObject({
    status: 201,
    body: { version: 1, status: "active", changes: [{ section: "actions" }, {}] },
  });
  expect(await sync({ ...documentOf("shop"), "other.toml": {} })).toMatchObject({
    status: 422,
    body: { code: "invalid", error_count: 1, errors: [{ file: "other.toml" }] },
  });
}
