import type { Answer, TestBroker } from "./broker.ts";

export type ClaimedJob = {
  readonly job: { readonly id: string; readonly status: string; readonly type: string };
  readonly execution: { readonly id: string; readonly status: string };
  readonly plan: unknown;
  readonly token: string;
  readonly deadline: string;
};
export type ClaimAnswer = {
  readonly jobs: ClaimedJob[];
  readonly orders: { readonly type: string; readonly execution_id?: string }[];
  readonly now: string;
};
export type ClaimAsk = {
  readonly groups?: Readonly<Record<string, number>>;
  readonly wait?: string;
  readonly poll_id?: string;
};

/** What an agent of ours says to a broker, as one process. */
export type HttpAgent = {
  readonly processId: string;
  readonly claim: (ask?: ClaimAsk) => Promise<Answer<ClaimAnswer>>;
  readonly report: (
    claimed: ClaimedJob,
    status: string,
  ) => Promise<Answer<Record<string, unknown>>>;
  readonly finish: (claimed: ClaimedJob) => Promise<Answer<Record<string, unknown>>>;
};

/** An agent that speaks through `call`; it asks for one deploy job and waits a second unless told otherwise. */
export function httpAgent(
  call: TestBroker["call"],
  { runnerId, processId, token }: { runnerId: string; processId: string; token: string },
): HttpAgent {
  const path = ({ job, execution }: ClaimedJob): string =>
    `/v1/runner-jobs/${job.id}/executions/${execution.id}`;
  return {
    processId,
    claim: (ask) =>
      call<ClaimAnswer>(`POST /v1/runners/${runnerId}/jobs/claim`, {
        token,
        body: { process_id: processId, groups: { deploy: 1 }, wait: "1s", ...ask },
      }),
    report: (claimed, status) => call(`PATCH ${path(claimed)}`, { token, body: { status } }),
    finish: (claimed) =>
      call(`POST ${path(claimed)}/finish`, {
        token,
        body: { status: "finished", result: { success: true } },
      }),
  };
}
