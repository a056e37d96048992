import type { Db } from "../../../broker/database/connect.ts";

/** A column as the catalogue tells of it. */
export type Column = {
  readonly name: string;
  /** Postgres's own name of the type, of a domain's base: text, int8, timestamptz, _text. */
  readonly type: string;
  readonly isNullable: boolean;
  /** The words that a check of this column alone admits. */
  readonly words: readonly string[][];
};

type ColumnRow = { name: string; type: string; is_nullable: boolean; checks: string[] };

/** The table's columns, in the order of their names. */
export async function tableColumns(db: Db, table: string): Promise<Column[]> {
  const rows = await db<ColumnRow[]>`
    select c.column_name as name, c.udt_name as type, c.is_nullable = 'YES' as is_nullable,
           array(select pg_get_constraintdef(k.oid)
                   from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and k.conkey = array[a.attnum]
                  where k.conrelid = ${table}::regclass and k.contype = 'c' and a.attname = c.column_name) as checks
      from information_schema.columns c
     where c.table_schema = 'public' and c.table_name = ${table}
     order by c.column_name`;
  return rows.map(({ name, type, is_nullable, checks }) => ({
    name,
    type,
    isNullable: is_nullable,
    words: checks.map((check) =>
      [...check.matchAll(/'((?:[^']|'')*)'::text/g)].map(([, word = ""]) => word),
    ),
  }));
}
