/** What a request is about; a refusal ends that. */
export type Scope = "job" | "process" | "agent";

/**
 * What a refusal means. `retry`: nothing was decided. `job-over`: the execution no longer belongs to this agent.
 * `process-over`: register again. `unauthorized` and `outdated` end the agent. `refused`: this request is wrong.
 */
export type AnswerClass =
  | "retry"
  | "job-over"
  | "process-over"
  | "unauthorized"
  | "outdated"
  | "refused";

type Row = Readonly<Record<Scope, AnswerClass>>;

const all = (one: AnswerClass): Row => ({ job: one, process: one, agent: one });
const gone: Row = { job: "job-over", process: "process-over", agent: "refused" };

/** Classes by status. Other statuses are `retry` from 500 on, else `refused`. */
const classes: Readonly<Record<number, Row>> = {
  401: all("unauthorized"),
  403: { job: "job-over", process: "unauthorized", agent: "unauthorized" },
  404: gone,
  408: all("retry"),
  409: gone,
  410: gone,
  423: all("retry"),
  425: all("retry"),
  426: all("outdated"),
  429: all("retry"),
};

/**
 * The class of a refusal. Only answers of the broker itself decide anything: a proxy or load balancer on the way may
 * answer any status.
 */
export function classOfRefusal(status: number, isBrokersWord: boolean, scope: Scope): AnswerClass {
  if (!isBrokersWord) return "retry";
  const row = classes[status];
  if (row !== undefined) return row[scope];
  return status >= 400 && status < 500 ? "refused" : "retry";
}
