import type { Problem } from "../../shared/problem.ts";
import { FairQueue, type Release } from "../limits/fair-queue.ts";
import type { Log } from "../log.ts";
import { type Admission, makeAdmission, type MostWork } from "./admission.ts";
import { ChildEnded } from "./child-process.ts";
import type { ChildAnswer, ChildAsked } from "./child-words.ts";
import { type Children, type ChildrenOptions, type KeptChild, makeChildren } from "./children.ts";
import { type Frame, type SentPart, sizeOf } from "./frames.ts";
import { runInChild, type WorkBounds } from "./run-in-child.ts";
import type { WorkKind, WorkResult } from "./work-kind.ts";
import type { WorkMetrics } from "./work-metrics.ts";
import { byOthers, refusalOf, tooMuchTold, workProblem } from "./work-problems.ts";

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
 * comes back: nobody here looks into it. Work that tells more than 2 Mi letters ends as if it had no memory left. Bytes may be read while they are sent. To add a kind, write a function of the type `WorkKind` in a module that imports
 * nothing that knows this pool, settings, the database or HTTP, and add its row to work-kinds.ts. That is all; programs that are built contain it.
 *
 * One piece of work of an org runs at a time. How much of an org waits, and what is refused then, is the pool's, by
 * its row of open-work-pools.ts: what one pool does delays nothing of another. Hold no permit for the database meanwhile
 * (`ownPermit`). A `Problem` that the function throws is thrown here again, its errors as a text. Work that uses up its
 * time or memory is given up: 503, logged as our fault; who asks may say that too much memory means something else
 * (`outOfMemory`). So is what has not ended when the broker stops. A signal that is aborted ends its work.
 *
 * Work is admitted, gets memory, gets a place, in this order: what waits for memory holds no place that another org
 * could use. Memory is shared out so that an org with work waits for it only while every place is taken.
 */

type Kinds = Readonly<Record<string, WorkKind<never, unknown>>>;

/** A piece of work, and whose it is. */
export type Work<All extends Kinds, Kind extends keyof All> = {
  readonly orgId: string;
  readonly kind: Kind & string;
  readonly asked: Parameters<All[Kind]>[0]["asked"];
  readonly bytes: readonly SentPart[];
  /** What it unpacks besides, as far as is known before. */
  readonly unpackedBytes?: number;
  /** What it means that it needs more memory than it may: the fault of who sent it. By default it is ours. */
  readonly outOfMemory?: () => Problem;
};

/** The memory for what work holds while it waits and runs. */
export type WorkMemory = {
  /** The most that a piece of work counts as; a larger one counts as this. */
  readonly shareBytes: number;
  /** Resolves with a function that gives it back; refuses when there is none for too long. */
  readonly enter: (
    held: { readonly orgId: string; readonly tokenId: string; readonly bytes: number },
    gone: AbortSignal,
  ) => Promise<() => void>;
};

export type WorkPoolOptions = ChildrenOptions & {
  readonly name: string;
  /** The most children. */
  readonly most: number;
  readonly mostWork: MostWork;
  readonly patienceMs: number;
  readonly refusals: Readonly<Record<"tooMany" | "keptWaiting", () => Problem>>;
  readonly bounds: WorkBounds;
  readonly log: Log;
  readonly metrics: WorkMetrics;
  /** By default what it holds is counted elsewhere. */
  readonly memory?: WorkMemory | undefined;
};

/** Does work in child processes, of which there are none until one is needed. */
export class WorkPool<All extends Kinds> {
  readonly #options: WorkPoolOptions;
  readonly #children: Children;
  readonly #admit: Admission;
  readonly #queue: FairQueue;
  readonly #count: ReturnType<WorkMetrics["watch"]>;
  /** What ends each piece of work that runs or waits. */
  readonly #ends = new Set<(why: Problem) => void>();
  #isOver = false;

  constructor(options: WorkPoolOptions) {
    const { name, most, mostWork, patienceMs, refusals, metrics } = options;
    this.#options = options;
    this.#children = makeChildren(options);
    this.#admit = makeAdmission(mostWork, () => byOthers(refusals.tooMany()));
    this.#queue = new FairQueue({
      permits: most,
      mostOfOrg: 1,
      patienceMs,
      tooLate: () => byOthers(refusals.keptWaiting()),
      admit() {},
    });
    const { all } = this.#children;
    const waiting = (): number => this.#ends.size - this.#queue.held;
    this.#count = metrics.watch({ name, all, waiting });
  }

  /** Has the work done by a child; at the top of this file is what it throws. */
  async run<Kind extends keyof All>(
    work: Work<All, Kind>,
    gone?: AbortSignal,
  ): Promise<WorkResult<Awaited<ReturnType<All[Kind]>>["told"]>> {
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
      return result;
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

  async #inTurn(work: Work<All, keyof All>, signal: AbortSignal): Promise<Frame> {
    const { orgId, kind } = work;
    const held: Release[] = [];
    try {
      signal.throwIfAborted();
      held.push(this.#admit(orgId, kind));
      held.push(await this.#takeMemory(work, signal));
      held.push(await takePlace(this.#queue, { orgId, token: kind }, signal));
      return await this.#now(work, signal);
    } finally {
      for (const release of held.toReversed()) release();
    }
  }

  async #takeMemory(
    { orgId, bytes, unpackedBytes = 0 }: Work<All, keyof All>,
    signal: AbortSignal,
  ): Promise<Release> {
    const { memory } = this.#options;
    if (memory === undefined) return () => {};
    const size = bytes.reduce((sum, part) => sum + sizeOf(part), unpackedBytes);
    const held = { orgId, tokenId: `work ${orgId}`, bytes: Math.min(size, memory.shareBytes) };
    try {
      return await memory.enter(held, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : byOthers(error as Problem); // it throws no other
    }
  }

  async #now(
    { orgId, kind, asked, bytes, outOfMemory }: Work<All, keyof All>,
    signal: AbortSignal,
  ): Promise<Frame> {
    const { bounds, log } = this.#options;
    const head: ChildAsked = { kind, asked };
    let kept: KeptChild | undefined;
    try {
      kept = this.#children.take();
      const answer = await runInChild(kept, { head, parts: bytes }, bounds, signal);
      const { cpuMs, rssBytes, failed } = answer.head as ChildAnswer; // its own words
      kept.used = { cpuMs, rssBytes };
      if (failed?.name === "RangeError") throw spent(failed.message);
      return answer;
    } catch (error) {
      if (!(error instanceof ChildEnded)) throw error;
      if (error.reason === "memory" && outOfMemory !== undefined) throw outOfMemory();
      log.error({ org_id: orgId, kind, why: error.message }, "work was given up in its process");
      throw workProblem.givenUp();
    } finally {
      if (kept !== undefined) this.#children.giveBack(kept);
    }
  }
}

/** What the engine says of what is too long for it, or too deep for its stack; any other error of this name is a fault. */
const tooMuch =
  /^(?:Maximum call stack size|Invalid (?:string|array|typed array) length|(?:Map|Set) maximum size|Array buffer allocation)/;

function spent(message: string): ChildEnded {
  const isOfMemory = message.startsWith(tooMuchTold) || tooMuch.test(message);
  return new ChildEnded(isOfMemory ? "memory" : "ended", `it failed: ${message}`);
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

function resultOf({ head, parts }: Frame): WorkResult<unknown> {
  const { told, refused, failed } = head as ChildAnswer; // its own words
  if (refused !== undefined) throw refusalOf(refused, parts[0]);
  if (failed === undefined) return { told, bytes: parts };
  const error = new Error(`in a child process: ${failed.name}: ${failed.message}`);
  error.stack = failed.stack;
  throw error;
}
