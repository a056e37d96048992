import path from "node:path";
import { z } from "zod";

export const opaSettings = {
  SVC_OPA: {
    schema: z
      .string()
      .refine((text) => path.isAbsolute(text), { error: "must be the absolute path of a program" })
      .optional(),
    doc: "The program of OPA that evaluates policies. Default: `opa` on the PATH. Without OPA what policies judge ends as an error.",
  },
} as const;

/** Where OPA is looked for. */
export type OpaPlaces = { readonly named: string | undefined; readonly search: string };
