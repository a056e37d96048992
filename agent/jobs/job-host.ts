import type { JobLog, JobLogSpec } from "../logs/job-log.ts";
import type { Redactor } from "../logs/redactor.ts";
import type { AgentParts } from "../parts.ts";

/** What a job needs of the agent in which it runs. */
export type JobHost = AgentParts & {
  readonly openJobLog: (spec: JobLogSpec, redactor: Redactor) => Promise<JobLog>;
  /** Lets the agent go down as an order of that name would: what runs is finished first. */
  readonly requestShutdown: (how: "graceful" | "restart", why: string) => void;
};
