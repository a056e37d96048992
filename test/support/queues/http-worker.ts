import { send } from "../broker/broker.ts";

export type ClaimedOverHttp = {
  readonly id: string;
  readonly queue_id: string;
  readonly type: string;
  readonly signal: Readonly<Record<string, unknown>>;
  readonly lease_id: string;
  readonly lease_until: string;
  readonly execution_count: number;
  readonly cause: Readonly<Record<string, unknown>> | null;
};

export type ClaimBody = {
  readonly signals: readonly ClaimedOverHttp[];
  readonly code?: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
};

/** A worker of one queue, at any broker of it. */
export function httpWorker(
  url: string,
  { queueId, token }: { readonly queueId: string; readonly token: string },
) {
  const path = `/v1/queues/${queueId}/signals`;
  return {
    claim: (body: object = {}) =>
      send<ClaimBody>(url, `POST ${path}/claim`, { token, body: { wait: "20s", ...body } }),
    report: (
      what: "complete" | "fail" | "extend",
      { id, lease_id }: Pick<ClaimedOverHttp, "id" | "lease_id">,
      body: object = {},
    ) =>
      send<{ status: string; lease_until: string | null; code?: string }>(
        url,
        `POST ${path}/${id}/${what}`,
        { token, body: { lease_id, ...body } },
      ),
  };
}

export type HttpWorker = ReturnType<typeof httpWorker>;

/** The one signal that a claim got; throws when it is not one. */
export async function claimOne(worker: HttpWorker, body: object = {}): Promise<ClaimedOverHttp> {
  const answer = await worker.claim(body);
  const [first, ...rest] = answer.body.signals ?? [];
  if (first === undefined || rest.length > 0)
    throw new Error(`the claim answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return first;
}
