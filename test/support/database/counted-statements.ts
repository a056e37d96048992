import type { Db } from "../../../broker/database/connect.ts";

/** The same database, and how often it was asked: statements, and the pieces that they are put together of. */
export function countedStatements(db: Db): { readonly db: Db; readonly count: () => number } {
  let asked = 0;
  const counting = new Proxy(db, {
    apply(target, self, args: Parameters<Db>) {
      asked++;
      return Reflect.apply(target, self, args) as unknown;
    },
  });
  return { db: counting, count: () => asked };
}
