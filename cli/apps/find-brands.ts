import { type Brands, mostBrands, whyNoBrand } from "../../shared/brands.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { CliConfig } from "../config.ts";
import { readProfiles } from "../connection/profile.ts";

/** What a flag of brands is, in every command that has it. */
export const brandFlag = {
  value: "WORDS",
  summary: "Other names of svc, between commas, as the broker's SVC_BRANDS has them.",
} as const;

/** The brands that a flag names; a UsageError for a word that is none. */
export function brandsIn(given: string): Brands {
  const brands = given
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  for (const [at, brand] of brands.entries()) {
    const why = brands.indexOf(brand) < at ? "is there twice" : whyNoBrand(brand);
    if (why !== undefined) throw new UsageError(`--brand: ${brand} ${why}.`);
  }
  if (brands.length > mostBrands)
    throw new UsageError(`--brand takes at most ${mostBrands} words.`);
  return brands;
}

/** The brands of a flag, else those of the profile that is used. */
export async function findBrands(
  config: CliConfig,
  { brand, profile }: { readonly brand: string | undefined; readonly profile: string | undefined },
): Promise<Brands> {
  if (brand !== undefined) return brandsIn(brand);
  const { current, profiles } = await readProfiles(config.profileFile);
  const name = profile ?? config.profile ?? current;
  if (name === undefined || !Object.hasOwn(profiles, name)) return [];
  return profiles[name]?.brands ?? [];
}
