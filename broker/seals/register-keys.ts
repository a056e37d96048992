import { OperatorError } from "../../shared/operator-error.ts";
import type { Db } from "../database/connect.ts";
import type { KeyProof, Seals } from "./seals.ts";

/**
 * Records, before a broker seals with a key, which key that is, and that this broker uses it. An OperatorError when
 * the database knows another key with the same id: what the two seal could not be told apart. Also when
 * there is no key although the database has sealed values: what this broker stores would be readable.
 */
export async function registerKeys(
  db: Db,
  brokerId: string,
  keys: readonly KeyProof[],
): Promise<void> {
  await refuseOthers(db, keys);
  const [newest] = keys;
  if (newest === undefined) await refuseReadable(db);
  if (newest !== undefined) {
    await db`
      insert into seal_keys (id, proof) values (${newest.id}, ${newest.proof}) on conflict do nothing`;
    await refuseOthers(db, keys); // of two brokers that bring one name at once, one is told here
  }
  await markBroker(db, brokerId, newest?.id ?? "");
}

async function refuseOthers(db: Db, keys: readonly KeyProof[]): Promise<void> {
  const known = await db<KeyProof[]>`select id, proof from seal_keys`;
  const other = known.find(({ id, proof }) =>
    keys.some((one) => one.id === id && !one.proof.equals(proof)),
  );
  if (other === undefined) return;
  throw new OperatorError(
    `The seal key ${other.id} differs from the key with this id that this database was sealed with.`,
  );
}

async function refuseReadable(db: Db): Promise<void> {
  const known = await db<{ id: string }[]>`select id from seal_keys order by id`;
  if (known.length === 0) return;
  const names = known.map(({ id }) => id).join(", ");
  throw new OperatorError(
    `SVC_SEAL_KEYS is none, but this database is sealed. Give this broker the keys of the others (${names}).`,
  );
}

/** Marks of stopped brokers stay until the resealing that they require is done, or a running broker has the same mark. */
async function markBroker(db: Db, brokerId: string, keyId: string): Promise<void> {
  await db`
    with gone as (
      delete from seal_brokers
       where key_id = ${keyId} and broker_id <> ${brokerId} and seen_at < svc_now() - interval '1 day')
    insert into seal_brokers as b (broker_id, key_id) values (${brokerId}, ${keyId})
        on conflict (broker_id) do update
           set key_id = excluded.key_id, seen_at = svc_now(),
               changed_at = case when b.key_id = excluded.key_id then b.changed_at else svc_now() end`;
}

/** The keys that values in this database are sealed with and that this broker lacks. */
export async function missingSealKeys(db: Db, seals: Seals): Promise<string[]> {
  const own = seals.proofs().map(({ id }) => id);
  const rows = await db<{ id: string }[]>`
    select id from seal_keys where not id = any(${own}::text[]) order by id`;
  return rows.map(({ id }) => id);
}
