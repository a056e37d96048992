import { z } from "zod";

const policy = z.looseObject({
  name: z.string().nullish(),
  contents: z.string().nullish(),
  engine: z.enum(["opa", "conftest"]).nullish(),
});
/** A list, or contents by their names. */
export const policiesSchema = z
  .union([z.array(policy), z.record(z.string(), z.string())])
  .nullish();

/** A policy in Rego that a plan must not violate. */
export type Policy = {
  readonly name: string;
  readonly contents: string;
  readonly engine: "opa" | "conftest";
};

/** The policies of a plan; the default engine is `opa`. */
export function readPolicies(given: z.infer<typeof policiesSchema>): Policy[] {
  const all = Array.isArray(given) ? given : listed(given ?? {});
  return all.flatMap(({ name, contents, engine }, at) =>
    contents ? [{ name: name || `policy ${at + 1}`, contents, engine: engine ?? "opa" }] : [],
  );
}

const listed = (given: Readonly<Record<string, string>>): z.infer<typeof policy>[] =>
  Object.entries(given).map(([name, contents]) => ({ name, contents }));
