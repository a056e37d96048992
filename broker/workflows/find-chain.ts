import type { Db } from "../database/connect.ts";
import type { Chain } from "./machine/self-approval.ts";

/** Who stands behind an account or a token: it, its makers up to people, whose account it is, who rotated it. */
export async function findChain(db: Db, id: string): Promise<Chain> {
  const [row] = await db<{ chain: string[] }[]>`select chain_of(array[${id}]::text[]) as chain`;
  return row?.chain ?? [id];
}
