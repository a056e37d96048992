import { z } from "@hono/zod-openapi";
import { type RunnerJobGroup, runnerJobGroups } from "../runner-job-types.ts";

const words = [...runnerJobGroups, "any", "deploys"] as const;

/** The group that a poll or a list names; `deploys`, which settings may say, is deploy. */
export const jobGroupQuery = z
  .enum(words)
  .transform((word): RunnerJobGroup | "any" => (word === "deploys" ? "deploy" : word))
  .openapi({ type: "string", enum: [...words] });
