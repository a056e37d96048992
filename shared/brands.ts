import { statePaths } from "./app-config/rules/state-paths.ts";

/** Other names of svc, which an operator gives: each stands wherever svc does in what callers write and read. */
export type Brands = readonly string[];

/** How many there may be: what is known of an install has a name for each. */
export const mostBrands = 8;

const shape = /^[a-z][a-z0-9]{2,15}$/;
const listOf = (words: string): readonly string[] => words.split(" ");
/** What cannot be one, and why. */
const taken: readonly (readonly [words: readonly string[], why: string])[] = [
  [
    [
      ...Object.keys(statePaths),
      ...listOf("svc broker agent event component action secret input label runbook job workflow"),
    ],
    "is a word of ours",
  ],
  [
    listOf("values release chart files capabilities template subcharts"),
    "is a root of other templates",
  ],
  [
    listOf(
      "aws azure arm gcp google cloudsdk git github gitlab kube kubernetes kubectl helm tf terraform tofu pulumi docker node npm " +
        "path home user shell term lang bash python java ruby perl ssh gpg http https proxy otel temp tmp",
    ),
    "begins variables of other programs",
  ],
  [
    listOf("forwarded request real content frame xss correlation trace client amz amzn original"),
    "begins headers of other programs",
  ],
  [
    listOf(
      "data default else every false import not null package some true with nil define end range",
    ),
    "is a word of Rego or of templates",
  ],
];

/** Why a word cannot be a brand; undefined where it can. */
export function whyNoBrand(word: string): string | undefined {
  if (!shape.test(word))
    return "is no brand: a brand has 3 to 16 small letters and digits, a letter first";
  return taken.find(([words]) => words.includes(word))?.[1];
}

/** The words that can be brands. */
export const brandsIn = (words: Brands): Brands =>
  words.filter((word) => whyNoBrand(word) === undefined);

/** A name of ours (`svc`, `SVC_INSTALL_ID`, `x-svc-org-id`, `svc::component`) as each brand has it, in the same letters. */
export const aliasesOf = (name: string, brands: Brands): readonly string[] =>
  brands.map((brand) => name.replace(/svc/i, (own) => inLettersOf(own, brand)));

/** The names by which templates read what is known of an install. */
export const rootsOf = (brands: Brands): readonly string[] => ["svc", ...aliasesOf("svc", brands)];

/** Variables, those of ours by the names of brands, too. */
export const withAliases = <Value>(
  named: Readonly<Record<string, Value>>,
  brands: Brands,
): Readonly<Record<string, Value>> => ({
  ...named,
  ...Object.fromEntries(
    Object.entries(named)
      .filter(([name]) => name.startsWith("SVC_"))
      .flatMap(([name, value]) => aliasesOf(name, brands).map((alias) => [alias, value])),
  ),
});

function inLettersOf(own: string, brand: string): string {
  if (own === "SVC") return brand.toUpperCase();
  return own === "Svc" ? brand.charAt(0).toUpperCase() + brand.slice(1) : brand;
}
