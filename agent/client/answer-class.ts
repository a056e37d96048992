/** What a request is about, and so what a refusal of it puts an end to. */
export type Scope = "job" | "process" | "agent";

/**
 * What to make of a refusal. `retry`: nobody decided anything. `job-over`: the execution is not ours any more.
 * `process-over`: register anew. `unauthorized` and `outdated` end the agent. `refused`: this very request is wrong.
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

/** Refusals by status; a status that is not here is a retry from 500 on, else `refused`. */
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
 * The class of a refusal. Only the broker's own words decide anything: a proxy, a portal or a balancer on the way may
 * answer any status, and means none of it.
 */
export function classOfRefusal(status: number, isBrokersWord: boolean, scope: Scope): AnswerClass {
  if (!isBrokersWord) return "retry";
  const row = classes[status];
  if (row !== undefined) return row[scope];
  return status >= 400 && status < 500 ? "refused" : "retry";
}
