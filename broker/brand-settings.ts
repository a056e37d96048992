import { mostBrands, whyNoBrand } from "../shared/brands.ts";
import { words } from "./setting-schemas.ts";

/** The setting that gives svc other names. */
export const brandSettings = {
  SVC_BRANDS: {
    schema: words
      .superRefine((brands, context) => {
        const message = whyNoBrands(brands);
        if (message !== undefined) context.addIssue({ code: "custom", message });
      })
      .default([]),
    doc: "Other names of svc, between commas (acme): each stands for svc in templates, Rego's package, principals, variables of actions and headers. Default: none.",
  },
} as const;

function whyNoBrands(brands: readonly string[]): string | undefined {
  if (brands.length > mostBrands) return `must have at most ${mostBrands} brands`;
  for (const [at, brand] of brands.entries()) {
    const why = brands.indexOf(brand) < at ? "is there twice" : whyNoBrand(brand);
    // A word that does not look like one may be anything, and is not repeated.
    const named = /^[a-z0-9]{1,16}$/.test(brand) ? brand : `the word ${at + 1}`;
    if (why !== undefined) return `is wrong: ${named} ${why}`;
  }
  return undefined;
}
