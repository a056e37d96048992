import type postgres from "postgres";
import type { Db } from "./connect.ts";

/** From which instant on, and until which, what is listed was created. */
export type CreatedFilter = {
  readonly created_at_gte?: string | undefined;
  readonly created_at_lte?: string | undefined;
};

/** Narrows a list by the column that says when a row was created. */
export function createdWithin(
  db: Db,
  column: postgres.Fragment,
  { created_at_gte: from, created_at_lte: to }: CreatedFilter,
): postgres.Fragment {
  return db`
    ${from === undefined ? db`` : db`and ${column} >= ${from}::text::timestamptz`}
    ${to === undefined ? db`` : db`and ${column} <= ${to}::text::timestamptz`}`;
}
