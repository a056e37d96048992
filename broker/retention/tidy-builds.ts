import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "../database/connect.ts";
import type { Batches } from "./delete-in-batches.ts";

/** How many builds were marked, taken back, and begun to be deleted. */
export type TidiedBuilds = {
  readonly marked: number;
  readonly taken_back: number;
  readonly deleted: number;
};
type TidiedApp = TidiedBuilds & { readonly has_more: boolean };

const appsAtOnce = 100;

/**
 * Marks builds that nothing needs, takes marks back from those that something needs again, and begins to delete those that were marked a day ago:
 * app by app, of all orgs, a batch each. `keep`: how many of a component stay besides; 0 for all.
 */
export async function tidyBuilds(
  db: Db,
  keep: number,
  { signal, batch }: Batches,
): Promise<TidiedBuilds> {
  const total = { marked: 0, taken_back: 0, deleted: 0 };
  let after = "";
  for (;;) {
    const apps = await db<{ org_id: string; app_id: string }[]>`
      select a.org_id, a.app_id from apps_with_builds(${after}, ${appsAtOnce}) a`;
    for (const { org_id: org, app_id: app } of apps) {
      if (signal.aborted) return total;
      const startedAtMs = performance.now();
      const [row] = await db<TidiedApp[]>`
        select t.marked, t.taken_back, t.deleted, t.has_more from tidy_builds(${org}, ${app}, ${keep}, interval '1 day', ${batch}) t`;
      total.marked += row?.marked ?? 0;
      total.taken_back += row?.taken_back ?? 0;
      total.deleted += row?.deleted ?? 0;
      await pause(performance.now() - startedAtMs, undefined, { signal }).catch(() => {}); // aborted: see above
    }
    const last = apps.at(-1);
    if (last === undefined || apps.length < appsAtOnce) return total;
    after = last.app_id;
  }
}
