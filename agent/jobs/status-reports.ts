import { updateExecutionRoute } from "../../shared/api/report-executions.ts";
import type { AgentContext } from "../agent-context.ts";
import { isJobOver } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";

export type ReportedStatus = "initializing" | "in-progress" | "cleaning-up";

/** Reports the status of an execution to the broker. */
export type StatusReports = {
  /** The first report confirms the claim: resolves when the broker accepts it, rejects when it refuses. */
  readonly first: (status: ReportedStatus, signal: AbortSignal) => Promise<void>;
  /** Reports soon; of several in quick succession only the last is sent. */
  readonly tell: (status: ReportedStatus) => void;
  /** Stops reporting: the end includes everything. */
  readonly close: () => void;
};

type Ids = { readonly jobId: string; readonly executionId: string };

/** Makes the reports of one execution; `onOver` is called when the broker says that it has ended. */
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
