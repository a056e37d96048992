import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { registerKeys } from "../../../broker/seals/register-keys.ts";
import { appSecretThing } from "../../../broker/seals/reseal-app-secret.ts";
import { reseal } from "../../../broker/seals/reseal.ts";
import { givenAppIds } from "../../support/apps/given-app-ids.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { keyLine } from "../../support/broker/seal-keys.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { testFolder } from "../../support/run/folder.ts";

test("a rotation seals the secrets of apps anew, each as what has its name", async () => {
  const { url, db } = await testDatabase();
  const file = path.join(await testFolder(), "keys");
  const [k1, k2] = [keyLine("k1"), keyLine("k2")];
  await writeFile(file, k1);
  const { broker } = await startBroker({ url, env: { SVC_SEAL_KEYS: `file:${file}` } });
  const { seals } = broker;
  const reread = async (keys: readonly string[]): Promise<void> => {
    await writeFile(file, keys.join("\n"));
    await seals.refresh((read) => registerKeys(db, "by-hand", read));
  };
  const orgId = await givenOrg(db);
  const { app_id: appId, secret_id: id } = await givenAppIds(broker, { orgId });
  await reread([k2, k1]);
  await advanceClock(db, "11 minutes");
  const { signal } = new AbortController();
  expect(await reseal(broker, signal)).toEqual({ sealed: 1, broken: [] });
  expect(await reseal(broker, signal)).toEqual({ sealed: 0, broken: [] });
  await reread([k2]);
  const [row] = await db<{ key_id: string; value: Buffer }[]>`
    select key_id, value from app_secrets where id = ${id}`;
  if (row === undefined) throw new Error("There is no secret.");
  const sealed = { keyId: row.key_id, bytes: row.value };
  const open = (name: string) => seals.open(appSecretThing(orgId, appId, name), sealed);
  expect(open("license").toString("utf8")).toBe("hello");
  expect(() => open("other")).toThrow();
});
