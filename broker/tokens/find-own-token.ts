import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "./actor.ts";
import type { TokenRow } from "./row.ts";

/** The caller's own token, whichever of its orgs it acts in; 404 for a job's token, which is no row of its own. */
export async function findOwnToken(db: Db, { tokenId }: Actor): Promise<TokenRow> {
  const [row] = await db<TokenRow[]>`select * from tokens where id = ${tokenId}`;
  if (row === undefined) throw problem.notFound("token");
  return row;
}
