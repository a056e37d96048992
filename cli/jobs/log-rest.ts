import { getExecutionRoute } from "../../shared/api/read-runner-job-executions.ts";
import type { getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import type { RouteAnswer } from "../../shared/api/route.ts";
import type { RunnerJobExecution } from "../../shared/api/runner-job-execution.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { Caller } from "../command.ts";
import type { LogRest } from "./tell-log.ts";

type GetJob = () => Promise<RouteAnswer<typeof getJobRoute>>;

/** What the broker says of the log of a job that has ended. */
export function restOfLog(call: Caller, ended: RunnerJob, getJob: GetJob): LogRest {
  const id = ended.final_runner_job_execution_id;
  const last = ended.executions?.find((one) => one.id === id);
  const isCut = last?.ended_by === "broker";
  let isKnownComplete = ended.logs_complete;
  return {
    async isComplete() {
      isKnownComplete ||= await getJob().then(
        ({ body }) => body.logs_complete,
        () => false,
      );
      return isKnownComplete;
    },
    async isStopping() {
      if (ended.status !== "cancelled" || last === undefined || !isCut || !hasBegun(last)) {
        return false;
      }
      const params = { job_id: ended.id, execution_id: last.id };
      const now = await call(getExecutionRoute, { params }).catch(() => undefined);
      // Its process tells its end, too late to count.
      const isLate = ({ created_at: at }: { readonly created_at: string }): boolean =>
        last.finished_at !== null && Date.parse(at) >= Date.parse(last.finished_at);
      const told = [now?.body.result ?? [], now?.body.evidence ?? []].flat();
      return !told.some(isLate);
    },
  };
}

function hasBegun({ status_v2 }: RunnerJobExecution): boolean {
  return status_v2.history.some(({ status }) => status !== "pending");
}
