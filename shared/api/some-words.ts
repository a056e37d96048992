import { z } from "@hono/zod-openapi";

/** Several words in a query, by commas or given several times. A word that nothing has matches nothing. */
export const someWords = (says: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((some) => some.split(",")))
    .optional()
    .describe(`${says}; several by commas.`)
    .openapi({ type: "string" });
