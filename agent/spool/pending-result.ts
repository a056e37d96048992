import { z } from "zod";
import type { RouteInput } from "../../shared/api/call-route.ts";
import type { finishExecutionRoute } from "../../shared/api/report-executions.ts";

/** A result as it waits in the spool: whose job it is, and the body of its finish. */
export type PendingResult = {
  readonly job_id: string;
  readonly finish: NonNullable<RouteInput<typeof finishExecutionRoute>["body"]>;
};

const schema = z.object({ job_id: z.string(), finish: z.looseObject({ status: z.string() }) });

/** Reads what was spooled; undefined when it has not that form. The rest is the broker's to judge. */
export function parsePendingResult(read: object): PendingResult | undefined {
  const parsed = schema.safeParse(read);
  return parsed.success ? (parsed.data as PendingResult) : undefined; // written by this program
}
