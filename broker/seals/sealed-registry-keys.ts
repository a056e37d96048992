import type { Db } from "../database/connect.ts";
import { signingKeyThing } from "../registry/signing-keys.ts";
import type { PlaceParts, PlaceWalk, SealedPlace } from "./sealed-place.ts";

type Row = { readonly kid: string; readonly key_id: string | null; readonly contents: Buffer };

/** The keys that sign tokens for registries: few, of no org. */
export const sealedRegistryKeys: SealedPlace = { table: "registry_signing_keys", due, reseal };

async function* due(db: Db, { newest }: PlaceWalk): AsyncGenerator<string> {
  const rows = await db<{ kid: string }[]>`
    select kid from registry_signing_keys where key_id is distinct from ${newest} order by period`;
  for (const { kid } of rows) yield kid;
}

async function reseal({ db, seals }: PlaceParts, kid: string): Promise<void> {
  const [row] = await db<Row[]>`
    select kid, key_id, contents from registry_signing_keys where kid = ${kid}`;
  if (row === undefined) return;
  const thing = signingKeyThing(kid);
  const { keyId, bytes } = seals.seal(
    thing,
    seals.open(thing, { keyId: row.key_id, bytes: row.contents }),
  );
  await db`
    update registry_signing_keys set key_id = ${keyId}, contents = ${bytes}
     where kid = ${kid} and key_id is not distinct from ${row.key_id} and contents = ${row.contents}`;
}
