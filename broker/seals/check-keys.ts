import { OperatorError } from "../../shared/operator-error.ts";
import type { Db } from "../database/connect.ts";
import type { Seals } from "./seals.ts";

/**
 * Writes down which key seals in this database from now on; an OperatorError when one of the same name, but
 * another key, did so before: what the two would seal could not be told apart.
 */
export async function checkSealKeys(db: Db, seals: Seals): Promise<void> {
  const own = seals.proofs();
  const [newest] = own;
  if (newest !== undefined) {
    await db`
      insert into seal_keys (id, proof) values (${newest.id}, ${newest.proof}) on conflict do nothing`;
  }
  const known = await db<{ id: string; proof: Buffer }[]>`select id, proof from seal_keys`;
  const other = known.find(({ id, proof }) =>
    own.some((one) => one.id === id && !one.proof.equals(proof)),
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
