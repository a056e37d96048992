import { z } from "@hono/zod-openapi";
import { mostEntries } from "../most-entries.ts";
import { idParam } from "./id-param.ts";
import { labelsInput } from "./labels-input.ts";

const mostToggles = 500;

export const componentTogglesInput = z
  .record(z.string().min(1).max(63), z.boolean())
  .check(mostEntries(mostToggles, `At most ${mostToggles} components can be named.`))
  .describe("Which toggleable components of the app's config it has, by their names.");

const members = {
  approval_option: z
    .enum(["prompt", "approve-all"])
    .nullable()
    .describe("approve-all: nobody is asked, unless an action's run says otherwise."),
  component_toggles: componentTogglesInput.nullable(),
  labels: labelsInput.nullable().describe("Of the config itself."),
  telemetry_enabled: z
    .boolean()
    .nullable()
    .describe("Informational: this version sends nothing elsewhere."),
};
/** null is the app's default. */
export const installConfigInput = z.strictObject(members).partial().openapi("InstallConfigChanges");
export type InstallConfigInput = z.output<typeof installConfigInput>;

export const installConfigSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    install_id: z.string(),
    approval_option: z.enum(["prompt", "approve-all"]).describe("prompt, unless it was given."),
    component_toggles: z.record(z.string(), z.boolean()),
    labels: z.record(z.string(), z.string()),
    telemetry_enabled: z.boolean().nullable(),
    created_by_id: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("InstallConfig");
export type InstallConfig = z.infer<typeof installConfigSchema>;

export const installConfigParams = z.object({
  install_id: idParam("install_id", "ins"),
  install_config_id: idParam("install_config_id", "inc"),
});
