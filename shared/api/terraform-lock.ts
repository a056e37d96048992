import { z } from "@hono/zod-openapi";

const text = z.string().max(4096);

/** Terraform's own words for what holds a workspace; its Go program reads members in any case. */
export const terraformLockSchema = z
  .object({
    ID: z.string().min(1).max(200),
    Operation: text.default(""),
    Info: text.default(""),
    Who: text.default(""),
    Version: text.default(""),
    Created: text.default(""),
    Path: text.default(""),
  })
  .openapi("TerraformLock");
export type TerraformLock = z.infer<typeof terraformLockSchema>;

const members = Object.keys(terraformLockSchema.shape);

/** A lock as a client sends it, its members in any case. */
export const terraformLockInput = z
  .record(z.string(), z.unknown())
  .transform((given) =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => {
        const known = members.find((one) => one.toLowerCase() === name.toLowerCase());
        return known === undefined || value === null ? [] : [[known, value]];
      }),
    ),
  )
  .pipe(terraformLockSchema.partial())
  .openapi({ type: "object", description: "Terraform's lock info." });
