import type { Problem } from "../../shared/problem.ts";
import { FairQueue, type Release } from "../limits/fair-queue.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { ChildEnded } from "./child-process.ts";
import type { ChildAnswer, ChildAsked } from "./child-words.ts";
import { type Children, type ChildrenOptions, makeChildren } from "./children.ts";
import type { Frame } from "./frames.ts";
import { runInChild, type WorkBounds } from "./run-in-child.ts";
import type { WorkKind } from "./work-kind.ts";
import { workMetrics } from "./work-metrics.ts";
import { refusalOf, workProblem } from "./work-problems.ts";

/*
 * Work that a caller can make long or large is done by child processes: whatever it costs, this process goes on
 * answering.
 *
 *   const { told, bytes } = await broker.work.run(
 *     { orgId, kind: "configs.diff", asked: { … }, bytes: [old, now] },
 *     c.req.raw.signal,
 *   );
 *
 * `asked` and `told` are small values, and go as JSON; what may be long goes as bytes, both ways, and is finished when it
 * comes back: nobody here looks into it. To add a kind, write a function of the type `WorkKind` in a module that imports
 * nothing that knows this pool, settings, the database or HTTP, and add its row to work-kinds.ts. That is all; programs that are built contain it.
 *
 * One piece of work of an org runs, and two of each kind wait; more are 429. Hold no permit for the database meanwhile
 * (`ownPermit`). A `Problem` that the function throws is thrown here again, its errors as a text. Work that uses
 * up its time or memory is given up: 503, logged as our fault. So is what has not ended when the broker stops. A signal
 * that is aborted ends its work.
 */

type Kinds = Readonly<Record<string, WorkKind<never, unknown>>>;

/** A piece of work, and whose it is. */
export type Work<All extends Kinds, Kind extends keyof All> = {
  readonly orgId: string;
  readonly kind: Kind & string;
  readonly asked: Parameters<All[Kind]>[0]["asked"];
  readonly bytes: readonly Uint8Array[];
  /** What it unpacks besides, as far as is known before. */
  readonly unpackedBytes?: number;
};

/** A budget for what is in memory meanwhile. */
export type WorkBudget = {
  readonly within: <Result>(
    held: { readonly key: string; readonly bytes: number; readonly waitingBytes: number },
    run: () => Promise<Result>,
  ) => Promise<Result>;
};

export type WorkPoolOptions = ChildrenOptions & {
  /** The most children. */
  readonly most: number;
  /** How many of each kind may wait for an org. */
  readonly mostWaiting: number;
  readonly patienceMs: number;
  readonly bounds: WorkBounds;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly budget: WorkBudget;
};

/** Does work in child processes, of which there are none until one is needed. */
export class WorkPool<All extends Kinds> {
  readonly #options: WorkPoolOptions;
  readonly #children: Children;
  readonly #queue: FairQueue;
  readonly #count: ReturnType<typeof workMetrics>;
  /** What ends each piece of work that runs or waits. */
  readonly #ends = new Set<(why: Problem) => void>();
  #isOver = false;

  constructor(options: WorkPoolOptions) {
    const { most, mostWaiting, patienceMs, metrics } = options;
    this.#options = options;
    this.#children = makeChildren(options);
    this.#queue = new FairQueue({
      permits: most,
      mostOfOrg: 1,
      patienceMs,
      tooLate: workProblem.keptWaiting,
      admit(ofKind) {
        if (ofKind > mostWaiting) throw workProblem.tooMany();
      },
    });
    this.#count = workMetrics(metrics, this.#children, () => this.#queue.waiting);
  }

  /** Has the work done by a child; at the top of this file is what it throws. */
  async run<Kind extends keyof All>(
    work: Work<All, Kind>,
    gone?: AbortSignal,
  ): Promise<Awaited<ReturnType<All[Kind]>>> {
    if (this.#isOver) throw workProblem.stopping();
    const ending = new AbortController();
    const end = (why: Problem): void => ending.abort(why);
    const leave = (): void => end(workProblem.left());
    this.#ends.add(end);
    gone?.addEventListener("abort", leave, { once: true });
    if (gone?.aborted === true) leave();
    try {
      const result = resultOf(await this.#inTurn(work, ending.signal));
      this.#count(work.kind);
      return result as never; // as the row of its kind has it
    } catch (error) {
      this.#count(work.kind, error);
      throw error;
    } finally {
      this.#ends.delete(end);
      gone?.removeEventListener("abort", leave);
    }
  }

  /** Refuses, after so long, what has not ended by then, and all that comes later. */
  endWithin(ms: number): void {
    setTimeout(() => this.#refuse(), ms).unref();
  }

  /** Ends all work and every child. */
  async stop(): Promise<void> {
    this.#refuse();
    await this.#children.stop();
  }

  #refuse(): void {
    this.#isOver = true;
    for (const end of this.#ends) end(workProblem.stopping());
  }

  /** The place, then the memory, then the work. */
  async #inTurn(work: Work<All, keyof All>, signal: AbortSignal): Promise<Frame> {
    const { orgId, kind, bytes, unpackedBytes = 0 } = work;
    const release = await takePlace(this.#queue, { orgId, token: kind }, signal);
    try {
      const held = bytes.reduce((sum, { length }) => sum + length, unpackedBytes);
      const memory = { key: `work ${orgId}`, bytes: held, waitingBytes: 0 };
      return await this.#options.budget.within(memory, () => this.#now(work, signal));
    } finally {
      release();
    }
  }

  async #now(
    { orgId, kind, asked, bytes }: Work<All, keyof All>,
    signal: AbortSignal,
  ): Promise<Frame> {
    const { bounds, log } = this.#options;
    const kept = this.#children.take();
    const head: ChildAsked = { kind, asked };
    try {
      const answer = await runInChild(kept, { head, parts: bytes }, bounds, signal);
      const { cpuMs, rssBytes, failed } = answer.head as ChildAnswer; // its own words
      kept.used = { cpuMs, rssBytes };
      if (failed?.name === "RangeError") throw new ChildEnded(`it failed: ${failed.message}`);
      return answer;
    } catch (error) {
      if (!(error instanceof ChildEnded)) throw error;
      log.error({ org_id: orgId, kind, why: error.message }, "work was given up in its process");
      throw workProblem.givenUp();
    } finally {
      this.#children.giveBack(kept);
    }
  }
}

async function takePlace(
  queue: FairQueue,
  owner: { readonly orgId: string; readonly token: string },
  signal: AbortSignal,
): Promise<Release> {
  signal.throwIfAborted();
  const given = queue.take(owner, (leave) =>
    signal.addEventListener("abort", leave, { once: true }),
  );
  if (!(given instanceof Promise)) return given;
  try {
    return await given;
  } catch (error) {
    throw signal.aborted ? (signal.reason as Problem) : error;
  }
}

function resultOf({ head, parts }: Frame): { readonly told: unknown; readonly bytes: unknown } {
  const { told, refused, failed } = head as ChildAnswer; // its own words
  if (refused !== undefined) throw refusalOf(refused, parts[0]);
  if (failed === undefined) return { told, bytes: parts };
  const error = new Error(`in a child process: ${failed.name}: ${failed.message}`);
  error.stack = failed.stack;
  throw error;
}
