import type { ProcessOrder } from "../../shared/api/process-order.ts";
import type { Broker } from "../broker.ts";
import { toExecution } from "../executions/to-execution.ts";
import { toRunnerJob } from "../jobs/to-runner-job.ts";
import type { Claim } from "./claim-jobs.ts";

/**
 * The body of a claim's answer. Plans go in as their source text, so that they arrive byte for byte. `now` is the
 * database's, as all that it is compared with.
 */
export function claimAnswer(
  { clock }: Pick<Broker, "clock">,
  claims: readonly Claim[],
  orders: readonly ProcessOrder[],
): string {
  const jobs = claims.map(claimedJob).join(",");
  return `{"jobs":[${jobs}],"orders":${JSON.stringify(orders)},"now":"${clock.now().toISOString()}"}`;
}

function claimedJob({ job, execution, plan, token, deadlineAt }: Claim): string {
  const rest = JSON.stringify({
    job: toRunnerJob(job),
    execution: toExecution(execution),
    token,
    deadline: deadlineAt.toISOString(),
  });
  return `${rest.slice(0, -1)},"plan":${plan ?? "{}"}}`;
}

type Outgoing = {
  readonly closed: boolean;
  readonly writableFinished: boolean;
  readonly once: (event: "close", listener: () => void) => unknown;
};

/** Claims whose answer could not be written out go back at once: nobody can have seen them. */
export function giveBackUnlessWritten(
  broker: Broker,
  outgoing: Outgoing | undefined,
  claims: readonly Claim[],
): void {
  if (outgoing === undefined) return;
  const onClose = (): void => {
    if (!outgoing.writableFinished) broker.desk.giveBack(claims);
  };
  if (outgoing.closed) onClose(); // it closed after the claim was settled: no event comes any more
  else outgoing.once("close", onClose);
}
