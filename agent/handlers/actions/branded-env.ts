import { type Brands, whyNoBrand, withAliases } from "../../../shared/brands.ts";

type Env = Readonly<Record<string, string>>;

/**
 * The variables of a step, those of ours by the names of a plan's brands, too. What a plan has by such a name stays, but for what the
 * agent sets itself. A word that is no brand names nothing.
 */
export function brandedEnv(
  { given, own }: { readonly given: Env; readonly own: Env },
  words: Brands,
): Record<string, string> {
  const brands = words.filter((word) => whyNoBrand(word) === undefined);
  return { ...withAliases(given, brands), ...given, ...withAliases(own, brands) };
}
