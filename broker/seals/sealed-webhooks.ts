import type { Db } from "../database/connect.ts";
import type { PlaceParts, PlaceWalk, SealedPlace } from "./sealed-place.ts";

type Row = {
  readonly org_id: string;
  readonly key_id: string | null;
  readonly secret: Buffer | null;
  readonly previous_key_id: string | null;
  readonly previous_secret: Buffer | null;
};

const walkAtOnce = 1000;

/** The secrets of webhooks, present and former ones. */
export const sealedWebhooks: SealedPlace = { table: "webhooks", due, reseal };

async function* due(db: Db, { newest, signal }: PlaceWalk): AsyncGenerator<string> {
  for (let [org, after] = ["", ""]; !signal.aborted;) {
    const rows = await db<{ org_id: string; id: string; is_due: boolean }[]>`
      select org_id, id, (secret is not null and key_id is distinct from ${newest})
                         or (previous_secret is not null and previous_key_id is distinct from ${newest}) as is_due
        from webhooks where (org_id, id) > (${org}, ${after}) order by org_id, id limit ${walkAtOnce}`;
    for (const { org_id, id, is_due } of rows) if (is_due) yield `${org_id} ${id}`;
    const last = rows.at(-1);
    if (last === undefined) return;
    [org, after] = [last.org_id, last.id];
  }
}

/** A rotation may come between: then the row is left to the next walk. */
async function reseal({ db, seals }: PlaceParts, place: string): Promise<void> {
  const [org = "", id = ""] = place.split(" ");
  const [row] = await db<Row[]>`
    select org_id, key_id, secret, previous_key_id, previous_secret from webhooks where org_id = ${org} and id = ${id}`;
  if (row === undefined) return;
  const thing = { orgId: row.org_id, id, part: "webhook-secret" };
  const anew = (keyId: string | null, bytes: Buffer | null) =>
    bytes === null
      ? { keyId: null, bytes: null }
      : seals.seal(thing, seals.open(thing, { keyId, bytes }));
  const secret = anew(row.key_id, row.secret);
  const previous = anew(row.previous_key_id, row.previous_secret);
  await db`
    update webhooks set key_id = ${secret.keyId}, secret = ${secret.bytes},
                        previous_key_id = ${previous.keyId}, previous_secret = ${previous.bytes}
     where org_id = ${org} and id = ${id}
       and secret is not distinct from ${row.secret} and previous_secret is not distinct from ${row.previous_secret}`;
}
