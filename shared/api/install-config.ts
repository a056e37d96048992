import { z } from "@hono/zod-openapi";
import { mostEntries } from "../most-entries.ts";
import { created, labelled } from "../resources/filters.ts";
import { flag, instant, json, made, orNull, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { labelsInput } from "./labels-input.ts";
import { toCome } from "./to-come.ts";

const mostToggles = 500;

export const componentTogglesInput = z
  .record(z.string().min(1).max(63), z.boolean())
  .check(mostEntries(mostToggles, `At most ${mostToggles} components can be named.`))
  .describe("Which toggleable components of the app's config it has, by their names.");

const members = {
  approval_option: z
    .enum(["prompt", "approve-all"])
    .nullable()
    .describe("approve-all: no approval is asked for, unless a run of an action requires one."),
  component_toggles: componentTogglesInput.nullable(),
  labels: labelsInput.nullable().describe("Of the config itself."),
  telemetry_enabled: z
    .boolean()
    .nullable()
    .describe("Informational: this version sends nothing elsewhere."),
};
/** null is the app's default. */
export const installConfigInput = z
  .strictObject({
    ...z.strictObject(members).partial().shape,
    custom_nested_stacks: toCome("stacks come with a later version"),
    runner_nested_template_url: toCome("stacks come with a later version"),
    vpc_nested_template_url: toCome("stacks come with a later version"),
  })
  .openapi("InstallConfigChanges");
export type InstallConfigInput = z.output<typeof installConfigInput>;

export const installConfigs = resource({
  noun: "install config",
  plural: "configs",
  schema: "InstallConfig",
  tag: "Installs",
  prefix: "inc",
  param: "install_config_id",
  path: "/v1/installs/{install_id}/configs",
  under: ["install"],
  surface: "control-plane",
  read: "installs.read",
  opens: ["list", "get"],
  bound: "path",
  says: {
    list: "List the configs of an install",
    listed: "The first is the current one; 100 are kept.",
    got: "The config.",
  },
  members: {
    ...owned,
    install_id: text(),
    approval_option: word(["prompt", "approve-all"], "prompt, unless it was given."),
    component_toggles: json(z.record(z.string(), z.boolean())),
    labels: json(z.record(z.string(), z.string())),
    telemetry_enabled: orNull(flag()),
    created_by_id: made.created_by_id,
    created_at: made.created_at,
    updated_at: instant(),
  },
  filters: { labels: labelled("labels"), ...created },
});
export type InstallConfig = ItemOf<typeof installConfigs>;
