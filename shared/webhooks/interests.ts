import { z } from "@hono/zod-openapi";
import {
  driftResources,
  type EventResource,
  eventResourceNames,
  eventResources,
  interestOutcomes,
} from "./event-resources.ts";

const flag = z.boolean().default(false);

function interestIn(resource: EventResource) {
  const ops: readonly string[] = eventResources[resource];
  const named = `Known ops of ${resource}: ${ops.join(", ")}.`;
  return z.strictObject({
    ops: z
      .array(
        z
          .string()
          .refine((op) => ops.includes(op), { params: { code: "unknown_op" }, message: named }),
      )
      .max(100)
      .default([])
      .transform((given) => [...new Set(given)].toSorted())
      .openapi({
        type: "array",
        items: { type: "string", enum: [...ops] },
        description: "Empty: every op of the resource.",
      }),
    outcome: z
      .enum(interestOutcomes)
      .default("all")
      .describe(
        "all: started and ended; completion: ended; failures: failed and cancelled; none: no lifecycle events.",
      ),
    approval_requests: flag.describe("Steps that wait for an approval."),
    approval_responses: flag.describe("Approvals that were given or refused."),
    drift_detected: flag.describe(
      driftResources.includes(resource)
        ? "A drift check found changes."
        : "Has no effect: these are not checked for drift.",
    ),
  });
}

type Interest = {
  readonly ops: readonly string[];
  readonly outcome: (typeof interestOutcomes)[number];
  readonly approval_requests: boolean;
  readonly approval_responses: boolean;
  readonly drift_detected: boolean;
};

/** Which events a webhook wants, in its one form: all of them, or those of the resources that are there. */
export type Interests =
  | { readonly all_events: true }
  | { readonly resources: Partial<Readonly<Record<EventResource, Interest>>> };

const resourcesSchema = z.strictObject({
  installs: interestIn("installs").optional(),
  stacks: interestIn("stacks").optional(),
  components: interestIn("components").optional(),
  sandboxes: interestIn("sandboxes").optional(),
  install_configurations: interestIn("install_configurations").optional(),
  runners: interestIn("runners").optional(),
  actions: interestIn("actions").optional(),
} satisfies Record<EventResource, z.ZodType>);

/** What all events is written as. */
export const allEvents: Interests = { all_events: true };

const shapes =
  'Give {"all_events": true}, or {"resources": {…}} with the resources whose events are wanted.';

/** Interests as they are given, read into their one form: defaults are filled in, ops are sorted, `all_events` stands alone. */
export const interestsSchema = z
  .strictObject({
    all_events: z.boolean().optional().describe("True overrides everything else."),
    resources: resourcesSchema.optional().describe("A resource that is missing delivers nothing."),
  })
  .refine(({ all_events: all, resources }) => all === true || resources !== undefined, {
    params: { code: "neither_shape" },
    message: shapes,
  })
  .transform(({ all_events: all, resources }): Interests =>
    all === true ? allEvents : { resources: inOrder(resources ?? {}) },
  )
  .openapi("NewWebhookInterests");

/** Equal interests are equal texts. */
function inOrder(
  resources: z.infer<typeof resourcesSchema>,
): Partial<Record<EventResource, Interest>> {
  const given = eventResourceNames.flatMap((name) => {
    const interest = resources[name];
    return interest === undefined ? [] : [[name, interest] as const];
  });
  return Object.fromEntries(given);
}
