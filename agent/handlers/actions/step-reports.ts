import {
  type ActionStepStatus,
  updateActionRunStepRoute,
} from "../../../shared/api/action-runs.ts";
import { processSecretHeader } from "../../../shared/api/runner-process.ts";
import type { Job } from "../../jobs/handler.ts";
import type { ActionPlan, ActionStep } from "./action-steps.ts";

/** Reports the status of each step to the broker; no step waits for it, and an error fails nothing. */
export type StepReports = {
  readonly tell: (
    step: Pick<ActionStep, "id">,
    status: ActionStepStatus | "stopped",
    tookMs: number,
  ) => void;
};

type Said = { readonly status: ActionStepStatus; readonly execution_duration: number };

/** Of several reports on a step that wait, only the last is sent. */
export function makeStepReports(
  job: Job,
  { id, install_id }: Pick<ActionPlan, "id" | "install_id">,
): StepReports {
  const waiting = new Map<string, Said>();
  let isSending = false;

  const sendAll = async (): Promise<void> => {
    isSending = true;
    for (;;) {
      const [next] = waiting;
      if (next === undefined) break;
      const [stepId, body] = next;
      waiting.delete(stepId);
      await send(job, { install_id: install_id ?? "", run_id: id ?? "", step_id: stepId }, body);
    }
    isSending = false;
  };
  return {
    tell(step, status, tookMs) {
      if (![id, install_id, step.id].every(isId)) return;
      waiting.set(step.id, {
        status: status === "stopped" ? "error" : status,
        execution_duration: Math.round(tookMs * 1e6),
      });
      if (!isSending) void sendAll();
    },
  };
}

/** The id in the form that the broker's path accepts. */
const isId = (id: string | null | undefined): boolean => /^[\w.:-]{1,200}$/.test(id ?? "");

type Params = { readonly install_id: string; readonly run_id: string; readonly step_id: string };

async function send({ agent, executionId }: Job, params: Params, body: Said): Promise<void> {
  try {
    const headers = { [processSecretHeader]: agent.process().secret };
    const how = { scope: "agent", giveUpAfterMs: 60_000 } as const;
    await agent.client.call(updateActionRunStepRoute, { params, body, headers }, how);
  } catch (error) {
    agent.log.debug({ err: error, execution_id: executionId }, "reporting a step's status failed");
  }
}
