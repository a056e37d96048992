import { type Claimed, claimSignals } from "./claim-signals.ts";
import type { ClaimedSignal } from "./claimed-signal.ts";
import { type HeldLease, holdLease } from "./hold-lease.ts";
import { type End, endOfError, reportEnd } from "./report-end.ts";
import { checkWorkerOptions, type WorkerOptions } from "./worker-options.ts";

/** So long a report is repeated at least, however short the lease is. */
const leastPatienceMs = 60_000;

/** Works on the signals of a queue, from `run()` until `stop()`. */
export class Worker<Signal extends ClaimedSignal = ClaimedSignal> {
  readonly #options: ReturnType<typeof checkWorkerOptions<Signal>>;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #run: Promise<void> | undefined;

  constructor(options: WorkerOptions<Signal>) {
    this.#options = checkWorkerOptions(options);
  }

  /** Begins; resolves when it has stopped, and rejects when the broker refuses its claims for good. */
  async run(): Promise<void> {
    this.#run ??= this.#work();
    await this.#run;
  }

  /** Claims no more, and resolves when what it has is done and reported: a handler must not wait for that. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run?.catch(() => {}); // run() tells
  }

  async #work(): Promise<void> {
    const stop = () => void this.stop();
    const hearsSigterm = this.#options.stopOnSigterm === true;
    if (hearsSigterm) process.once("SIGTERM", stop);
    try {
      while (!this.#stopping.signal.aborted) await this.#claim();
    } finally {
      await Promise.all(this.#underWay);
      if (hearsSigterm) process.off("SIGTERM", stop);
    }
  }

  async #claim(): Promise<void> {
    const { client, concurrency, ...rest } = this.#options;
    const max = concurrency - this.#underWay.size;
    if (max === 0) return await Promise.race(this.#underWay);
    const stopping = this.#stopping.signal;
    const claimed = await claimSignals<Signal>({
      ...rest,
      request: client.request,
      max,
      stopping,
    });
    for (const signal of claimed.signals) this.#begin(signal, claimed);
  }

  #begin(signal: Signal, { now }: Claimed<Signal>): void {
    const leftMs = Date.parse(signal.lease_until) - Date.parse(now);
    const work = this.#perform(signal, leftMs)
      .catch(this.#options.onError)
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #perform(signal: Signal, leftMs: number): Promise<void> {
    const { client, queue, leaseMs, onError } = this.#options;
    const { request } = client;
    const lease = holdLease({
      leaseMs,
      leftMs,
      onError,
      extend: async (ends) =>
        await request("post", "/v1/queues/{queue_id}/signals/{signal_id}/extend", {
          params: { queue_id: queue, signal_id: signal.id },
          body: { lease_id: signal.lease_id },
          signal: ends,
          timeoutMs: Math.ceil(leaseMs / 3),
          retries: 0, // it is asked again soon enough
        }),
    });
    try {
      const end = await this.#endOf(signal, lease);
      const patienceMs = Math.max(leaseMs, leastPatienceMs);
      if (!lease.isLost()) await reportEnd({ request, queue, signal, patienceMs }, end);
    } finally {
      lease.release();
    }
  }

  async #endOf(signal: Signal, lease: HeldLease): Promise<End> {
    try {
      const result = await this.#options.handle(signal, { signal: lease.signal });
      return { what: "complete", body: result === undefined ? {} : { result } };
    } catch (error) {
      return endOfError(error);
    }
  }
}
