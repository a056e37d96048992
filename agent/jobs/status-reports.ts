import { updateExecutionRoute } from "../../shared/api/report-executions.ts";
import type { AgentContext } from "../agent-context.ts";
import { isJobOver } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";

export type ReportedStatus = "initializing" | "in-progress" | "cleaning-up";

/** Tells the broker how far an execution is. */
export type StatusReports = {
  /** The report that makes the execution ours: resolves when the broker has answered it, rejects when it refused. */
  readonly first: (status: ReportedStatus, signal: AbortSignal) => Promise<void>;
  /** Tells it soon; of several that come close upon each other only the last is told. */
  readonly tell: (status: ReportedStatus) => void;
  /** Nothing is told any more: the end says it all. */
  readonly close: () => void;
};

type Ids = { readonly jobId: string; readonly executionId: string };

/** Reports on one execution; `onOver` is called when the broker knows it as over. */
export function makeStatusReports(
  { client, log }: Pick<AgentContext, "client" | "log">,
  { jobId, executionId }: Ids,
  onOver: () => void,
): StatusReports {
  const closed = new AbortController();
  let next: ReportedStatus | undefined;
  let isSending = false;

  const send = async (status: ReportedStatus, signal: AbortSignal): Promise<void> => {
    const params = { job_id: jobId, execution_id: executionId };
    await client.call(updateExecutionRoute, { params, body: { status } }, { scope: "job", signal });
  };

  const sendLatest = async (): Promise<void> => {
    isSending = true;
    await pause(closeUponMs, closed.signal);
    while (next !== undefined && !closed.signal.aborted) {
      const status = next;
      next = undefined;
      await send(status, closed.signal).catch((error: unknown) => {
        if (closed.signal.aborted) return;
        if (isJobOver(error)) onOver();
        else log.warn({ err: error, execution_id: executionId }, "the broker refused a status");
      });
    }
    isSending = false;
  };

  return {
    first: send,
    tell(status) {
      next = status;
      if (!isSending) void sendLatest();
    },
    close: () => closed.abort(),
  };
}

const closeUponMs = 150;
