import { z } from "zod";

const policy = z.looseObject({
  name: z.string().nullish(),
  contents: z.string().nullish(),
  engine: z.enum(["opa", "conftest"]).nullish(),
});
export const policiesSchema = z.array(policy).nullish();

/** A policy in Rego that a plan must not violate. */
export type Policy = {
  readonly name: string;
  readonly contents: string;
  readonly engine: "opa" | "conftest";
};

/** The policies of a plan; the default engine is `opa`. */
export function readPolicies(given: z.infer<typeof policiesSchema>): Policy[] {
  return (given ?? []).flatMap(({ name, contents, engine }, at) =>
    contents ? [{ name: name || `policy ${at + 1}`, contents, engine: engine ?? "opa" }] : [],
  );
}
