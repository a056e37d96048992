import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

/** As many as one request begins. */
export const mostUpdated = 100;

const installIds = z.array(z.string().max(64)).max(mostUpdated);
const updatesSchema = z
  .strictObject({
    update_all: z.boolean().optional().describe("All installs of the app, by their ids."),
    updateAll: z
      .boolean()
      .optional()
      // The two names are one in Go.
      .openapi({ description: "The same.", "x-go-name": "UpdateAllAlias" }),
    install_ids: installIds.optional().describe("Only these; without `update_all`."),
    install_i_ds: installIds.optional().describe("The same."),
    after: z
      .string()
      .max(64)
      .optional()
      .describe("With `update_all`: continue after this one, the `next_after` of an answer."),
  })
  .transform(({ updateAll = false, install_i_ds: ids = [], ...given }) => ({
    ...given,
    update_all: given.update_all ?? updateAll,
    install_ids: given.install_ids ?? ids,
  }))
  .refine((given) => given.update_all === (given.install_ids.length === 0), {
    path: ["install_ids"],
    error: "Give either update_all or install_ids.",
  })
  .refine(({ update_all: isAll, after }) => isAll || after === undefined, {
    path: ["after"],
    error: "It goes with update_all.",
  })
  .openapi("NewInstallUpdates", { example: { update_all: true } });
export type NewInstallUpdates = z.output<typeof updatesSchema>;

const updateSchema = z
  .object({
    install_id: z.string(),
    outcome: z
      .enum(["begun", "unchanged", "refused"])
      .describe("`unchanged`: it has this config or is being updated to it."),
    workflow_id: z.string().nullable(),
    code: z.string().nullable().describe("Why it was refused, in one word."),
    detail: z.string().nullable(),
  })
  .openapi("InstallUpdate");
export type InstallUpdate = z.infer<typeof updateSchema>;

export const updateInstallsRoute = createRoute("updateInstalls", {
  post: "/v1/apps/{app_id}/configs/{app_config_id}/update-installs",
  rule: { surface: "control-plane", permission: "installs.operate", idempotent: "replay" },
  tags: ["Installs"],
  summary: "Update installs to a config of their app",
  description:
    `Begins a workflow for each, at most ${mostUpdated} a request; \`next_after\` is sent as \`after\` for the next ones. A refusal for one install is reported for it; the others continue. ` +
    "409 `config_not_active` as of one install.",
  body: updatesSchema,
  responses: {
    200: json(
      z
        .object({
          installs: z.array(updateSchema),
          next_after: z.string().nullable().describe("null: there are no more."),
        })
        .openapi("InstallUpdates"),
      "The result for each.",
    ),
  },
});
