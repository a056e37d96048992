import type { App } from "../../../shared/api/app.ts";
import { startBroker } from "../broker/broker.ts";
import { testDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenOrg } from "../rows/given.ts";

/** What a refusal says. */
export type Refused = {
  code: string;
  errors?: Record<string, unknown>[];
  active_config_id?: string | null;
};
/** What a sync or a read of a config answers. */
export type Config = Refused & {
  id: string;
  version: number;
  status: string;
  checksum: string;
  changes: object[];
  warnings: { code: string }[];
  document?: object;
};

/** A broker, and orgs with an app whose configs are synced by its API. */
export async function givenAppsApi(settings: Readonly<Record<string, string>> = {}) {
  const { db, url } = await testDatabase();
  const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", ...settings };
  const { call, broker, logged } = await startBroker({ url, env });

  async function setup() {
    const orgId = await givenOrg(db);
    const token = await givenToken(db, { orgId, role: "org_builder" });
    const create = (body: object, headers: Record<string, string> = {}) =>
      call<App & Refused>("POST /v1/apps", { token, body, headers });
    const app = (await create({ name: "shop" })).body;
    const at = `/v1/apps/${app.id}`;
    const sync = (body: object, query = "") =>
      call<Config>(`POST ${at}/configs/sync${query}`, { token, body });
    const read = <Body>(path: string) => call<Body>(`GET ${at}${path}`, { token });
    return { orgId, token, create, app, at, sync, read };
  }

  return { call, setup, db, broker, logged };
}
