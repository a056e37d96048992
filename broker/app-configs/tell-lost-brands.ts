import type { Broker } from "../broker.ts";

/**
 * Tells the operator which brands are not in SVC_BRANDS any more though configs that are in force were read with them: those keep them
 * until they are synced again.
 */
export async function tellLostBrands({
  config,
  db,
  log,
}: Pick<Broker, "config" | "db" | "log">): Promise<void> {
  const found = await db<{ brand: string; configs: number }[]>`
    select b.brand, count(*)::int as configs from app_configs c cross join lateral unnest(c.brands) as b(brand)
     where c.brands <> '{}' and b.brand <> all(${[...config.brands]}::text[])
       and (c.status = 'active' or exists (
             select from installs i where i.org_id = c.org_id and i.app_id = c.app_id and i.applied_config_id = c.id and i.deleted_at is null))
     group by b.brand order by b.brand`;
  if (found.length === 0) return;
  log.warn(
    { brands: Object.fromEntries(found.map(({ brand, configs }) => [brand, configs])) },
    "configs in force were read with brands that SVC_BRANDS has not; they keep them until they are synced again",
  );
}
