import { z } from "@hono/zod-openapi";
import { componentTypes } from "../component-types.ts";
import { createdQuery } from "./listing.ts";

/** By what lists of what an app has by name are narrowed. */
export const partFilters = {
  ...createdQuery,
  name: z.string().max(63).optional().describe("Exactly this, where `-` and `_` are equal."),
  q: z.string().max(255).optional().describe("A part of the name."),
};

const words = (text: string): string[] => text.split(",").filter((word) => word !== "");
const mostIds = 100;

/** By what lists of components are narrowed besides. */
export const componentFilters = {
  component_ids: z
    .string()
    .max(mostIds * 32)
    .transform(words)
    .pipe(z.array(z.string()).max(mostIds))
    .optional()
    .openapi({ type: "string", description: "Only these: up to 100 ids, with commas." }),
  types: z
    .string()
    .max(255)
    .transform(words)
    .pipe(z.array(z.enum(componentTypes)))
    .optional()
    .openapi({ type: "string", description: "Only of these types, with commas." }),
};
