import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import { type Answer, type Call, send } from "../broker/broker.ts";
import { type ClaimAnswer, type ClaimedJob, httpAgent } from "../broker/http-agent.ts";
import { waitLimitMs } from "../run/hang-limits.ts";

export type LoadOptions = {
  /** Where brokers serve now; one that does not answer is tried again or left for another. */
  readonly urls: () => readonly string[];
  readonly runnerId: string;
  readonly admin: string;
  readonly token: string;
  /** One agent each. */
  readonly processIds: readonly string[];
  /** Jobs are enqueued until so many are, or until the load is stopped. */
  readonly jobs?: number;
};

export type Load = {
  /** Jobs whose enqueue was answered 201. */
  readonly acknowledged: ReadonlySet<string>;
  /** Job → executions whose first report was answered 200: somebody has begun to work. */
  readonly begun: ReadonlyMap<string, ReadonlySet<string>>;
  /** Jobs whose end was answered 200. */
  readonly finished: ReadonlySet<string>;
  /** Enqueues no more; resolves when every job that was taken in is finished, as its agent was told. */
  readonly drain: () => Promise<void>;
};

/** A control plane and agents that work through its jobs, and that never give up when a broker does. */
export function startLoad(options: LoadOptions): Load {
  const acknowledged = new Set<string>();
  const begun = new Map<string, Set<string>>();
  const finished = new Set<string>();
  const stopped = new AbortController();
  const over = new AbortController();
  let turn = 0;

  /** Repeats a request, at one broker after the other, until one of them gives an answer that was asked for. */
  async function call<Body>(
    what: string,
    given: Call,
    statuses: readonly number[],
  ): Promise<Answer<Body>> {
    return vi.waitFor(
      async () => {
        const urls = options.urls();
        const answer = await send<Body>(urls[turn++ % urls.length] ?? "", what, given);
        if (!statuses.includes(answer.status)) throw new Error(`${what} ${answer.status}`);
        return answer;
      },
      { timeout: waitLimitMs, interval: 20 },
    );
  }

  async function enqueue(): Promise<void> {
    while (!stopped.signal.aborted && acknowledged.size < (options.jobs ?? Infinity)) {
      const { body } = await call<{ id: string }>(
        `POST /v1/runners/${options.runnerId}/jobs`,
        {
          token: options.admin,
          body: { type: "noop-deploy", plan: { a: 1 } },
          headers: { "idempotency-key": randomUUID() },
        },
        [201],
      );
      acknowledged.add(body.id);
    }
  }

  async function act(processId: string): Promise<void> {
    const agent = { runnerId: options.runnerId, processId, token: options.token };
    const claiming = httpAgent((what, given = {}) => call(what, given, [200]) as never, agent);
    const reporting = httpAgent(
      (what, given = {}) => call(what, given, [200, 404, 409]) as never,
      agent,
    );
    let poll = randomUUID();
    while (!over.signal.aborted) {
      const { body }: Answer<ClaimAnswer> = await claiming.claim({ poll_id: poll, wait: "1s" });
      if (body.jobs.length > 0) poll = randomUUID(); // until then, what was claimed for it may still come
      for (const claimed of body.jobs) await work(reporting, claimed);
    }
  }

  async function work(agent: ReturnType<typeof httpAgent>, claimed: ClaimedJob): Promise<void> {
    if ((await agent.report(claimed, "in-progress")).status !== 200) return;
    const { id } = claimed.job;
    begun.set(id, (begun.get(id) ?? new Set()).add(claimed.execution.id));
    if ((await agent.finish(claimed)).status === 200) finished.add(id);
  }

  const enqueuing = Promise.all([enqueue(), enqueue(), enqueue()]);
  const acting = Promise.all(options.processIds.map((id) => act(id)));
  const failed = Promise.all([enqueuing, acting]);
  failed.catch(() => {}); // drain tells
  return {
    acknowledged,
    begun,
    finished,
    drain: async () => {
      if (options.jobs === undefined) stopped.abort();
      await enqueuing;
      await Promise.race([
        failed,
        vi.waitFor(() => expect([...acknowledged].filter((id) => !finished.has(id))).toEqual([]), {
          timeout: waitLimitMs,
          interval: 50,
        }),
      ]);
      over.abort();
      await acting;
    },
  };
}
