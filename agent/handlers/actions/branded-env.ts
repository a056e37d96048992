import { type Brands, withAliases } from "../../../shared/brands.ts";

type Env = Readonly<Record<string, string>>;

/**
 * Variables of some sources, the later over the earlier, those of ours by the names of brands, too. A source that has such a name itself
 * means that; one that has ours sets all names of an earlier one anew.
 */
export const brandedEnv = (sources: readonly Env[], brands: Brands): Record<string, string> =>
  Object.fromEntries(
    sources.flatMap((source) => [
      ...Object.entries(withAliases(source, brands)),
      ...Object.entries(source),
    ]),
  );
