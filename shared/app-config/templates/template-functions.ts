import { choiceFunctions } from "./functions/choice-functions.ts";
import { comparisonFunctions } from "./functions/comparison-functions.ts";
import { indexFunction } from "./functions/index-function.ts";
import { listFunctions } from "./functions/list-functions.ts";
import { mapFunctions } from "./functions/map-functions.ts";
import { numberFunctions } from "./functions/number-functions.ts";
import { shellquoteFunction } from "./functions/shellquote-function.ts";
import type { TemplateFunction } from "./functions/template-function.ts";
import { textFunctions } from "./functions/text-functions.ts";
import { valueFunctions } from "./functions/value-functions.ts";

/** The functions of templates, by their names. */
export const templateFunctions: ReadonlyMap<string, TemplateFunction> = new Map(
  [
    indexFunction,
    shellquoteFunction,
    ...choiceFunctions,
    ...comparisonFunctions,
    ...listFunctions,
    ...mapFunctions,
    ...numberFunctions,
    ...textFunctions,
    ...valueFunctions,
  ]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((one) => [one.name, one]),
);
