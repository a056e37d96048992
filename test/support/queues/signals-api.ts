import type { QueueSignal } from "../../../shared/api/signal.ts";
import type { Answer, Call } from "../broker/broker.ts";
import { type GivenOperator, givenOperator } from "../broker/given-operator.ts";
import { claimSignals, type GivenQueue, givenQueue, reportSignal } from "./given-signals.ts";

/** A signal as its enqueue answers it. */
export type Enqueued = QueueSignal & { readonly deduplicated: boolean };
/** A refusal with its places. */
export type Refusal = {
  readonly code: string;
  readonly errors: readonly { readonly pointer: string; readonly code: string }[];
};

/** What a control plane does with signals, over HTTP. */
export type SignalsApi = Pick<GivenOperator, "broker" | "db" | "call" | "orgId" | "token"> & {
  readonly mine: (given?: { maxDepth?: number; maxInFlight?: number }) => Promise<GivenQueue>;
  readonly enqueue: (queue: GivenQueue, body: object, call?: Call) => Promise<Answer<Enqueued>>;
  /** Status, code, and each error's place and code. */
  readonly refusal: (queue: GivenQueue, body: object, call?: Call) => Promise<(string | number)[]>;
  /** A signal whose worker gave it up. */
  readonly dead: (queue: GivenQueue, body?: object) => Promise<string>;
};

/** An org's admin at a broker of its own that calls public addresses only. */
export async function givenSignalsApi(): Promise<SignalsApi> {
  const env = { SVC_EGRESS: "strict" };
  const { broker, db, call, orgId, token } = await givenOperator("org_admin", { env });
  const path = (queue: GivenQueue) => `POST /v1/queues/${queue.queueId}/signals`;
  const enqueue: SignalsApi["enqueue"] = (queue, body, options) =>
    call<Enqueued>(path(queue), { body, ...options });
  return {
    broker,
    db,
    call,
    orgId,
    token,
    enqueue,
    mine: (given = {}) => givenQueue(db, { orgId, ...given }),
    refusal: async (queue, body, options) => {
      const answer = await call<Partial<Refusal>>(path(queue), { body, ...options });
      const errors = (answer.body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
      return [answer.status, answer.body.code ?? "", ...errors];
    },
    dead: async (queue, body = { type: "work" }) => {
      const { id } = (await enqueue(queue, body)).body;
      const [claimed] = await claimSignals(db, queue);
      if (claimed?.id !== id) throw new Error("another signal was claimed");
      await reportSignal(db, queue, claimed, "give-up");
      return id;
    },
  };
}
