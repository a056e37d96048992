import { z } from "zod";
import { runnerStatuses } from "../../shared/api/runner.ts";
import { runnerJobGroups } from "../../shared/runner-job-types.ts";
import { pauseColumns } from "../runner-groups/row.ts";

/** A row of `runners`. */
export const runnerRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_group_id: z.string(),
  name: z.string(),
  display_name: z.string(),
  lifecycle: z.enum(["enabled", "disabled", "deprovisioned", "deleted"]),
  status: z.enum(runnerStatuses),
  status_description: z.string(),
  status_at: z.date(),
  warnings: z.array(z.string()),
  restart_requested: z.boolean(),
  ...pauseColumns,
  version: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type RunnerRow = z.infer<typeof runnerRow>;

/** A row of `runner_queues`. */
export const runnerQueueRow = z.object({
  runner_id: z.string(),
  job_group: z.enum(runnerJobGroups),
  org_id: z.string(),
  parallelism: z.number(),
  max_depth: z.number(),
  offered: z.number(),
  held: z.string().nullable(),
  slots: z.number(),
  in_use: z.number(),
  waiting: z.number(),
  created_at: z.date(),
});
export type RunnerQueueRow = z.infer<typeof runnerQueueRow>;

/** A row of `runner_operations`. */
export const runnerOperationRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_id: z.string(),
  operation_type: z.enum(["provision", "provision_service_account", "reprovision", "deprovision"]),
  status: z.string(),
  status_description: z.string(),
  created_at: z.date(),
  created_by_id: z.string(),
});
export type RunnerOperationRow = z.infer<typeof runnerOperationRow>;
