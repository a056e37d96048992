import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../broker/given-polling.ts";

type CallApi = <Body>(what: string, body?: object) => Promise<Body>;

const isOver = (status: string): boolean => ["success", "error", "cancelled"].includes(status);

/** What waits for workflows, and answers what they ask. */
export function workflowFollower(call: CallApi) {
  const workflow = (id: string) => call<WholeWorkflow>(`GET /v1/workflows/${id}`);
  /** Resolves when the workflow has ended, or waits for somebody. */
  const rests = async (id: string): Promise<WholeWorkflow> => {
    let seen = await workflow(id);
    await until(async () => {
      seen = await workflow(id);
      const { status } = seen.status;
      const isAsking = seen.steps.some((step) => step.status.status === "approval-awaiting");
      return isOver(status) || isAsking || status === "failed-pending-retry";
    });
    return seen;
  };
  /** Approves what a workflow was seen to ask for; false where that was nothing. */
  const approve = async ({ id, steps }: WholeWorkflow): Promise<boolean> => {
    const asks = steps.find(({ status }) => status.status === "approval-awaiting");
    if (asks?.approval === undefined) return false;
    const at = `POST /v1/workflows/${id}/steps/${asks.id}/approvals/${asks.approval.id}/response`;
    await call(at, { response_type: "approve", plan_digest: asks.approval.plan_digest });
    return true;
  };
  /** Approves whatever it asks for, and resolves when it has ended, or failed. */
  const approved = async (id: string): Promise<WholeWorkflow> => {
    for (;;) {
      const seen = await rests(id);
      if (!(await approve(seen))) return seen;
    }
  };
  return { workflow, rests, approve, approved };
}
