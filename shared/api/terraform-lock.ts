import { z } from "@hono/zod-openapi";
import { cutText } from "./cut-text.ts";

const text = cutText(4096);

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
  .openapi("TerraformLockInfo");
export type TerraformLock = z.infer<typeof terraformLockSchema>;

/** The same in the words of this API. */
export const shownLockSchema = z
  .object({
    id: z.string(),
    created: z.string(),
    info: z.string(),
    operation: z.string(),
    path: z.string(),
    version: z.string(),
    who: z.string(),
  })
  .openapi("TerraformLock");

const members = Object.keys(terraformLockSchema.shape);

/** A lock as a client sends it, its members in any case. */
export const terraformLockInput = z
  .record(z.string(), z.unknown())
  .transform((given) =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => {
        const known = members.find((one) => one.toLowerCase() === name.toLowerCase());
        const isNone = value === null || (known === "ID" && value === ""); // as Go writes it
        return known === undefined || isNone ? [] : [[known, value]];
      }),
    ),
  )
  .pipe(terraformLockSchema.partial())
  .openapi({ type: "object", description: "Terraform's lock info." });
