import { z } from "@hono/zod-openapi";
import { labelsInput } from "./labels-input.ts";

const none = "An empty one: nothing is said of it any more.";

/** What is said of a component, by requests or by configs. */
export const ofComponent = z.object({
  dependencies: z
    .array(z.string().max(64))
    .max(1000)
    .describe("Ids or names; none: nothing is said of them any more."),
  var_name: z.string().max(63).describe(none),
});

/** What is said of a runbook. */
export const ofRunbook = z.object({ description: z.string().max(4096).describe(none) });

const labels = { labels: labelsInput };

/** What can be said of something that no config has yet, by the type of its file. */
export const aheadOf = {
  action: z.object(labels).partial(),
  component: ofComponent.extend(labels).partial(),
  runbook: ofRunbook.extend(labels).partial(),
} as const;
