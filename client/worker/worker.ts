import type { CallOptions } from "../route-types.ts";
import { SvcError } from "../svc-error.ts";
import { type Claimed, claimSignals } from "./claim-signals.ts";
import type { ClaimedSignal } from "./claimed-signal.ts";
import { type HeldLease, holdLease, marginOf } from "./hold-lease.ts";
import { type End, endOfError, endOfResult, reportEnd } from "./report-end.ts";
import { checkWorkerOptions, type WorkerOptions } from "./worker-options.ts";

/** So long a report is repeated at least, however short the lease is. */
const leastPatienceMs = 60_000;

/** Works on the signals of a queue, from `run()` until `stop()`. */
export class Worker<Signal extends ClaimedSignal = ClaimedSignal> {
  readonly #options: ReturnType<typeof checkWorkerOptions<Signal>>;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #run: Promise<void> | undefined;
  #onFree = () => {};

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
    if (max === 0) return await new Promise<void>((resolve) => (this.#onFree = resolve));
    const stopping = this.#stopping.signal;
    const claimed = await claimSignals<Signal>({
      ...rest,
      request: client.request,
      max,
      stopping,
    });
    for (const signal of claimed.signals) this.#begin(signal, claimed);
  }

  #begin(signal: Signal, claimed: Claimed<Signal>): void {
    const work = this.#perform(signal, claimed)
      .catch(this.#options.onError)
      .finally(() => {
        this.#underWay.delete(work);
        this.#onFree();
      });
    this.#underWay.add(work);
  }

  async #perform(signal: Signal, claimed: Claimed<Signal>): Promise<void> {
    const { client, queue, leaseMs, onError } = this.#options;
    const { request } = client;
    // It is asked again soon enough.
    const extend = async (ends: AbortSignal) =>
      await this.#extend(signal, { signal: ends, retries: 0 });
    const leftMs = await this.#leftMs(signal, claimed);
    const lease = holdLease({ leaseMs, leftMs, onError, extend });
    try {
      const end = await this.#endOf(signal, lease);
      const patienceMs = Math.max(leaseMs, leastPatienceMs);
      if (!lease.isLost()) await reportEnd({ request, queue, signal, patienceMs }, end);
    } finally {
      lease.release();
    }
  }

  /**
   * What is left of a claimed lease at least. The answer to its claim may have been on its way for as long as the claim
   * took: where that is over a third of the lease, it is extended before anything begins. Throws when it is lost.
   */
  async #leftMs(signal: Signal, { now, tookMs }: Claimed<Signal>): Promise<number> {
    const { leaseMs } = this.#options;
    if (tookMs <= leaseMs / 3) return Date.parse(signal.lease_until) - Date.parse(now) - tookMs;
    const askedMs = performance.now();
    await this.#extend(signal, { retries: 2 });
    const leftMs = leaseMs - (performance.now() - askedMs);
    if (leftMs > marginOf(leaseMs)) return leftMs;
    throw new SvcError("The lease ended before its handler began.", { code: "lease_ends" });
  }

  async #extend({ id, lease_id }: Signal, options: CallOptions): Promise<unknown> {
    const { client, queue, leaseMs } = this.#options;
    return await client.request("post", "/v1/queues/{queue_id}/signals/{signal_id}/extend", {
      params: { queue_id: queue, signal_id: id },
      body: { lease_id },
      timeoutMs: Math.ceil(leaseMs / 3),
      ...options,
    });
  }

  async #endOf(signal: Signal, lease: HeldLease): Promise<End> {
    try {
      return endOfResult(await this.#options.handle(signal, { signal: lease.signal }));
    } catch (error) {
      return endOfError(error);
    }
  }
}
