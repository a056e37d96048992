import type { Broker } from "../../broker/broker.ts";
import { readConfig } from "../../broker/config.ts";
import { openLog } from "../../broker/log.ts";
import { makeBroker } from "../../broker/make-broker.ts";
import { keySource } from "../../broker/seals/key-source.ts";
import { openSeals } from "../../broker/seals/seals.ts";
import { loopbackEgress } from "../../test/support/broker/loopback-egress.ts";
import { testSealKeys } from "../../test/support/broker/seal-keys.ts";

/** A broker's parts in this process, without its loops and its server. */
export async function openLocalBroker(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Broker> {
  const own = { DATABASE_URL: databaseUrl, SVC_SEAL_KEYS: testSealKeys };
  const config = readConfig({ ...loopbackEgress, ...own, ...env });
  const seals = await openSeals(keySource(config.sealKeys));
  return makeBroker(config, openLog("warn"), seals).broker;
}
