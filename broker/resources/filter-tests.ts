import type postgres from "postgres";
import type { FilterTest } from "../../shared/resources/filters.ts";
import type { Db } from "../database/connect.ts";
import { labelledBy, readLabelQuery } from "../labels/label-query.ts";

/** How each kind of filter narrows a list, by the column that it looks at. */
export const filterTests: Readonly<
  Record<FilterTest, (db: Db, column: postgres.Fragment, value: string) => postgres.Fragment>
> = {
  is: (db, column, value) => db`and ${column} = ${value}`,
  named: (db, column, value) => db`and replace(${column}, '-', '_') = replace(${value}, '-', '_')`,
  part: (db, column, value) => db`and strpos(lower(${column}), ${value.toLowerCase()}) > 0`,
  labelled: (db, column, value) => labelledBy(db, column, readLabelQuery(value)),
  since: (db, column, value) => db`and ${column} >= ${value}::text::timestamptz`,
  until: (db, column, value) => db`and ${column} <= ${value}::text::timestamptz`,
};
