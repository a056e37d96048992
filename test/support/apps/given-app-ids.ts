import { setAppSecret } from "../../../broker/app-secrets/keep-app-secrets.ts";
import type { Broker } from "../../../broker/broker.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { givenApp } from "./given-app.ts";

/** An app with one of each thing that the path of a route can name, by the names that paths have. */
export async function givenAppIds(
  broker: Pick<Broker, "db" | "seals">,
  { orgId }: { readonly orgId: OrgId },
): Promise<Record<"app_id" | "app_config_id" | "secret_id", string>> {
  const { appId, configId } = await givenApp(broker.db, { orgId });
  const given = { name: "license", value: "hello" };
  const { secret } = await setAppSecret(broker, { orgId, id: "" }, appId, given);
  return { app_id: appId, app_config_id: configId, secret_id: secret.id };
}
