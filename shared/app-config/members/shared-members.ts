import { z } from "zod";
import * as kind from "./kinds.ts";

const repoMembers = (words: string) => ({
  repo: kind.text(words, 2048),
  directory: kind.text("The folder in it; its root unless given.", 1024).optional(),
  branch: kind.text("The branch, tag or commit.", 255).optional(),
});

/** Where sources are: in a repository. At most one of the two. */
export const repoChoice = {
  connected_repo: z
    .strictObject(repoMembers("owner/name of a repository of a source-control connection."))
    .meta({ description: "A repository that a source-control connection of the org can read." })
    .optional(),
  public_repo: z
    .strictObject(repoMembers("The repository's URL, or owner/name."))
    .meta({ description: "A repository that everybody can read." })
    .optional(),
};

/** Where sources are: in a repository, or in a folder beside the config. */
export const sourceChoice = {
  ...repoChoice,
  directory: kind
    .text("Without a repository: the folder of the config's own directory that is built.", 1024)
    .optional(),
  source_digest: kind.text("Of what that folder has; a sync writes it.", 128).optional(),
};

export const operations = [
  "provision",
  "reprovision",
  "deprovision",
  "deploy",
  "teardown",
  "trigger",
] as const;

/** Which role an operation of this one uses. */
export const operationRoles = kind
  .list(
    "Which role an operation uses, where it is not the default.",
    z.strictObject({
      operation: kind.oneOf("The operation.", operations),
      role: kind.renderedName("The role's name."),
    }),
  )
  .optional();

/** How often a plan is tried again, and what is approved without asking. */
export const planMembers = {
  drift_schedule: kind.cron("When to look for drift: a cron expression, in UTC.").optional(),
  max_auto_retries: kind
    .whole("How often an apply is tried again by itself (default 0).", [0, 10])
    .optional(),
  auto_approve_on_policies_passing: kind
    .flag("Approve a plan without asking when every policy passes.")
    .optional(),
  skip_noops: kind.flag("Pass over a plan that changes nothing.").optional(),
};

/** How a component's health is watched. */
export const health = z
  .strictObject({
    enabled: kind.flag("Whether it is watched (default true).").optional(),
    stabilization_window: kind
      .duration("How long it must be healthy after a deploy.", ["0s", "1h"])
      .optional(),
    block_deploy: kind.flag("Whether a deploy fails where it does not become so.").optional(),
    required_checks: kind.list("Checks that others report.", kind.text("", 255)).optional(),
    probes: kind
      .list(
        "What a runner looks at.",
        z.strictObject({
          type: kind.oneOf("How.", ["http", "tcp", "exec"]),
          name: kind.text("What people read.", 255).optional(),
          url: kind.text("http, tcp: where.", 2048).optional(),
          command: kind.list("exec: which command.", kind.text("")).optional(),
        }),
        50,
      )
      .optional(),
  })
  .meta({ description: "How its health is watched." })
  .optional();

/** Files of variables, whole. */
export const varFiles = kind
  .list(
    "Files of variables.",
    z.strictObject({ contents: kind.fileText("The file's contents.") }),
    20,
  )
  .optional();

/** Conditions on an event. */
export const filters = kind
  .list(
    "Conditions on the event; all must hold.",
    z.strictObject({
      path: kind.text("Which member.", 1024),
      from: kind.oneOf("Where it is.", ["payload", "headers"]).optional(),
      op: kind.oneOf("How it is compared.", [
        "eq",
        "neq",
        "in",
        "prefix",
        "suffix",
        "contains",
        "gt",
        "gte",
        "lt",
        "lte",
        "regex",
        "exists",
        "not_exists",
      ]),
      value: kind.anyValue("What it is compared with.").optional(),
    }),
    50,
  )
  .optional();

export const inputTypes = ["string", "number", "bool", "list", "json", "yaml", "hcl"] as const;

/** What inputs of apps and of runbooks share. */
export const inputMembers = {
  name: kind.name("Its name; templates read it as `.svc.inputs.inputs.NAME`."),
  display_name: kind.text("What people read instead of the name.", 255).optional(),
  description: kind.text("What it is for.", 4096).optional(),
  type: kind.oneOf("What its value is (default string).", inputTypes).optional(),
  default: z
    .union(
      [
        z.string().max(kind.textLimits.short),
        z.number(),
        z.boolean(),
        z.array(z.union([z.string(), z.number(), z.boolean()])),
      ],
      { error: "must be a text, a number, true, false or a list of these" },
    )
    .meta({ description: "Its value where none is given." })
    .optional(),
  required: kind.flag("Whether it must be given.").optional(),
  sensitive: kind.flag("Never shown again.").optional(),
};
