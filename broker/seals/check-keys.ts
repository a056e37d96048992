import { OperatorError } from "../../shared/operator-error.ts";
import type { Db } from "../database/connect.ts";
import type { Seals } from "./seals.ts";

/**
 * Writes down which keys seal in this database; an OperatorError when one of the same name, but another key,
 * did so before: what the two would seal could not be told apart.
 */
export async function checkSealKeys(db: Db, seals: Seals): Promise<void> {
  const own = seals.proofs();
  const proofs = own.map(({ proof }) => proof.toString("hex"));
  const known = await db<{ id: string; proof: Buffer }[]>`
    insert into seal_keys (id, proof)
    select id, decode(proof, 'hex') from unnest(${own.map(({ id }) => id)}::text[], ${proofs}::text[]) k (id, proof)
        on conflict (id) do update set proof = seal_keys.proof
    returning id, proof`;
  const other = known.find(({ id, proof }) =>
    own.some((o) => o.id === id && !o.proof.equals(proof)),
  );
  if (other === undefined) return;
  throw new OperatorError(
    `The seal key ${other.id} is not the one of that name that this database was sealed with.`,
  );
}

/** The keys that something in this database is sealed with and that this broker does not have. */
export async function missingSealKeys(db: Db, seals: Seals): Promise<string[]> {
  const own = seals.proofs().map(({ id }) => id);
  const rows = await db<{ id: string }[]>`
    select id from seal_keys where not id = any(${own}::text[]) order by id`;
  return rows.map(({ id }) => id);
}
