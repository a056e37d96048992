import type { Delivery } from "../../../shared/api/webhook-deliveries.ts";
import type { Webhook } from "../../../shared/api/webhook.ts";
import { startBroker } from "../broker/broker.ts";
import { testDatabase } from "../database/database.ts";
import { startReceiver } from "../queues/start-receiver.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenOrg } from "../rows/given.ts";

/** What a refusal says. */
export type Refused = { code: string; errors?: { pointer: string; code: string }[] };

export const webhooksPath = "/v1/orgs/current/webhooks";
const path = webhooksPath;

/** A broker, and orgs that create and change webhooks by its API. */
export async function givenWebhooksApi(more: Readonly<Record<string, string>> = {}) {
  const { db, url } = await testDatabase();
  const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", ...more };
  const { call, broker, logged } = await startBroker({ url, env });
  async function setup(role: "org_admin" | "org_support" = "org_admin") {
    const orgId = await givenOrg(db);
    const token = await givenToken(db, { orgId, role });
    const create = (body: object) => call<Webhook & Refused>(`POST ${path}`, { token, body });
    const patch = (id: string, body: object) =>
      call<Webhook & Refused>(`PATCH ${path}/${id}`, { token, body });
    return { orgId, token, create, patch };
  }
  /** An org with a webhook at a receiver that answers so; its deliveries as the API lists them, the oldest first. */
  async function givenReceiving(
    replies: Parameters<typeof startReceiver>[0] = {},
    { where = "/ok", ...members }: { where?: string; [member: string]: unknown } = {},
  ) {
    const org = await setup();
    const receiver = await startReceiver(replies);
    const { body: webhook } = await org.create({ url: receiver.url + where, ...members });
    const own = `${path}/${webhook.id}`;
    const deliveries = async (): Promise<Delivery[]> =>
      (await call<Delivery[]>(`GET ${own}/deliveries?limit=100`, org)).body.toReversed();
    const statuses = async (): Promise<string[]> =>
      (await deliveries()).map(({ status }) => status);
    const show = async (): Promise<Webhook> => (await call<Webhook>(`GET ${own}`, org)).body;
    return { ...org, receiver, webhook, own, deliveries, statuses, show };
  }
  return { db, url, call, broker, logged, setup, givenReceiving };
}
