import { z } from "zod";
import type { Task } from "./task.ts";

const payloadSchema = z.object({
  process_id: z.string(),
  runner_id: z.string(),
  org_id: z.string(),
  at: z.string(),
});

/** Logs that a process was lost: enqueued by the statement that decided it, so that it is logged exactly then. */
export const runnerInactive: Task = async ({ log }, { payload }) => {
  const { process_id, runner_id, org_id, at } = payloadSchema.parse(payload);
  log.warn(
    { process_id, runner_id, org_id, at },
    "a process was offline for too long; its executions are lost",
  );
};
