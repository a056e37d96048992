import type { JobLog, JobLogSpec } from "../logs/job-log.ts";
import type { Redactor } from "../logs/redactor.ts";
import type { AgentParts } from "../parts.ts";

/** What a job needs of the agent in which it runs. */
export type JobHost = Pick<
  AgentParts,
  "config" | "log" | "client" | "runnerId" | "results" | "deliver" | "secrets"
> & {
  /** The agent's run directory, in memory. */
  readonly runDir: string;
  /** Proxies and certificates, as children need them. */
  readonly childNetwork: Readonly<Record<string, string>>;
  readonly openJobLog: (spec: JobLogSpec, redactor: Redactor) => Promise<JobLog>;
  /** How each loop is, for health-check. */
  readonly health: () => Readonly<Record<string, unknown>>;
  /** Lets the agent go down as an order of that name would: what runs is finished first. */
  readonly goDown: (how: "graceful" | "restart", why: string) => void;
};
