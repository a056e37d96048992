import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { confirmByPolls } from "../polls/confirm-by-poll.ts";
import { type JobFilter, listClaimableJobs, listRunnerJobs } from "./list-jobs.ts";
import { releaseForPoll } from "./release-for-poll.ts";
import type { JobRow } from "./row.ts";

export type JobPoll = {
  readonly filter: JobFilter & { readonly runnerId: string };
  readonly limit: number;
  readonly offset: number;
  /** The runner itself asks: it takes part in what is handed out. */
  readonly isRunner: boolean;
};

/** What a runner sees when it asks without waiting: the jobs it can claim now, or those of other statuses. */
export async function pollJobs(broker: Broker, org: OrgId, poll: JobPoll): Promise<JobRow[]> {
  const { filter, isRunner } = poll;
  const { statuses = ["available"], runnerId, group } = filter;
  if (statuses.length > 1 || statuses[0] !== "available") {
    return listRunnerJobs(broker.db, org, filter, poll);
  }
  if (isRunner) {
    await confirmByPolls(broker, runnerId, [{ group: group ?? null }]);
    await releaseForPoll(broker, org, runnerId, group);
  }
  return listClaimableJobs(broker.db, org, { ...filter, statuses: undefined }, poll);
}
