import type { Outputs } from "../../jobs/handler.ts";
import { internalFailure, JobFailure } from "../../jobs/job-failure.ts";
import { appliedCounts } from "./apply-result.ts";
import type { Ran } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";

/** Runs what follows a successful apply. A failure first says that the plan was applied, and has these outputs. */
export async function afterApply<T>(
  { job }: TerraformContext,
  ran: Ran,
  outputs: Outputs,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isTold = error instanceof JobFailure;
    if (!isTold) {
      const told = { err: error, execution_id: job.executionId };
      job.agent.log.error(told, "a step after an apply failed within the agent");
    }
    const { message, reason, code, metadata, composite, ...failure } = isTold
      ? error
      : internalFailure(error);
    throw new JobFailure(`The plan was applied (${appliedCounts(ran)}), but then: ${message}`, {
      reason,
      code,
      metadata,
      ...(composite !== undefined && { composite }),
      outputs: { ...outputs, ...failure.outputs },
    });
  }
}
