import { registryLoginThing } from "../registry/keep-registry-logins.ts";
import type { SealedPlace } from "./sealed-place.ts";

type Row = {
  readonly org_id: string;
  readonly use: string;
  readonly key_id: string | null;
  readonly password: Buffer;
};

/** Only the password that was read is replaced. */
export const resealRegistryLogin: SealedPlace["reseal"] = async ({ db, seals }, id) => {
  const [row] = await db<Row[]>`
    select org_id, use, key_id, password from registry_fixed_logins where id = ${id}`;
  if (row === undefined) return;
  const thing = registryLoginThing(row.org_id, row.use);
  const plain = seals.open(thing, { keyId: row.key_id, bytes: row.password });
  const { keyId, bytes } = seals.seal(thing, plain);
  await db`
    update registry_fixed_logins set key_id = ${keyId}, password = ${bytes}
     where id = ${id} and password = ${row.password}`;
};
