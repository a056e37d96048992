import { z } from "@hono/zod-openapi";
import { labelKeyPattern, labelLimits } from "../labels.ts";
import { mostEntries } from "../most-entries.ts";

const mostTemplateLetters = 4096;
const labelKey = z
  .string()
  .regex(
    labelKeyPattern,
    "A key is a letter or digit, then up to 62 of letters, digits, dot, _, / and -.",
  );

function labelMap(mostLetters: number) {
  return z
    .record(labelKey, z.string().max(mostLetters))
    .check(mostEntries(labelLimits.count, `At most ${labelLimits.count} labels are allowed.`));
}

export const labelsInput = labelMap(labelLimits.value);
export const labelTemplatesInput = labelMap(mostTemplateLetters).describe(
  "Labels whose values are templates, rendered when the install is created and whenever a workflow records its state.",
);
