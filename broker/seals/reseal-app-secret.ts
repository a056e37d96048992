import type { SealedPlace } from "./sealed-place.ts";
import type { SealedThing } from "./seals.ts";

type Row = {
  readonly org_id: string;
  readonly app_id: string;
  readonly name: string;
  readonly key_id: string | null;
  readonly value: Buffer;
};

/** As what the value of an app's secret is sealed: a value that is moved to another name does not open. */
export const appSecretThing = (orgId: string, app: string, name: string): SealedThing => ({
  orgId,
  id: `${app} ${name}`,
  part: "app-secret",
});

/** Only the value that was read is replaced. */
export const resealAppSecret: SealedPlace["reseal"] = async ({ db, seals }, id) => {
  const [row] = await db<Row[]>`
    select org_id, app_id, name, key_id, value from app_secrets where id = ${id}`;
  if (row === undefined) return;
  const thing = appSecretThing(row.org_id, row.app_id, row.name);
  const plain = seals.open(thing, { keyId: row.key_id, bytes: row.value });
  const { keyId, bytes } = seals.seal(thing, plain);
  await db`
    update app_secrets set key_id = ${keyId}, value = ${bytes}
     where id = ${id} and name = ${row.name} and value = ${row.value}`;
};
