import { Worker } from "node:worker_threads";
import type { PlanFacts } from "../../../shared/plans/plan-facts.ts";
import { Problem, problem } from "../../../shared/problem.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import type { RecordFacts } from "../../helm-releases/read-record.ts";
import { orgTurns } from "../../limits/org-turns.ts";
import { LargeText } from "../../seals/large-text.ts";
import { bodyProgram } from "./body-program.ts";
import type { BodyAnswer, BodyMessage } from "./body-worker.ts";

/** A large body without its large texts, and these by their pointers. */
export type ReadBody = {
  readonly value: unknown;
  readonly longTexts: ReadonlyMap<string, LargeText>;
};

/** A plan, and whose and what it is. */
export type LargePlan = {
  readonly orgId: string;
  readonly type: RunnerJobType;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/**
 * Parses large bodies and plans in another thread, one at a time, so that other requests are not delayed; the orgs take turns. The
 * memory of what waits is counted where it is received or sent.
 */
export type BodyReader = {
  readonly read: (
    orgId: string,
    operationId: string,
    bytes: Uint8Array<ArrayBuffer>,
  ) => Promise<ReadBody>;
  readonly readRecord: (
    orgId: string,
    bytes: Uint8Array<ArrayBuffer>,
  ) => Promise<{
    readonly facts: RecordFacts;
    readonly text: LargeText;
  }>;
  readonly planFacts: (plan: LargePlan) => Promise<PlanFacts>;
  /** The JSON of a plan without its secrets. */
  readonly maskedPlan: (plan: LargePlan) => Promise<Buffer>;
  readonly stop: () => Promise<void>;
};

const mostHeapMb = 768;
const idleMs = 30_000;

/** A reader with one thread, which ends some time after its last work. */
export function makeBodyReader(): BodyReader {
  const { ask, stop } = makeThread();
  return {
    async read(orgId, operationId, given) {
      const answer = await ask(orgId, { work: "body", operationId, bytes: given });
      if (!("body" in answer)) throw refusalOf(answer);
      const { bytes, body } = answer;
      const texts = body.longTexts.map(([pointer, parts]) => {
        const pieces = parts.map((part) =>
          part instanceof Uint8Array ? part : bytes.subarray(...part),
        );
        return [pointer, new LargeText(pieces)] as const;
      });
      return { value: body.value, longTexts: new Map(texts) };
    },
    async readRecord(orgId, given) {
      const answer = await ask(orgId, { work: "record", bytes: given });
      if (!("record" in answer)) throw refusalOf(answer);
      return { facts: answer.record, text: new LargeText([answer.bytes]) };
    },
    async planFacts({ orgId, type, bytes }) {
      const answer = await ask(orgId, { work: "plan-facts", type, bytes });
      if (!("facts" in answer)) throw refusalOf(answer);
      return answer.facts;
    },
    async maskedPlan({ orgId, type, bytes }) {
      const answer = await ask(orgId, { work: "plan-masked", type, bytes });
      if (!("masked" in answer)) throw refusalOf(answer);
      return Buffer.from(answer.bytes.buffer);
    },
    stop,
  };
}

/** One message after the other, the orgs in turn; a thread that ended is followed by another. */
function makeThread() {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  const turns = orgTurns({ patienceMs: 120_000, refusal: keptWaiting });

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  async function askNow(message: BodyMessage): Promise<BodyAnswer> {
    clearTimeout(idle);
    worker ??= startWorker();
    try {
      return await answerOf(worker, message);
    } catch (error) {
      await stop(); // the next body gets another
      throw error;
    } finally {
      idle = setTimeout(() => void stop(), idleMs).unref();
    }
  }

  return {
    stop,
    ask: (orgId: string, message: BodyMessage): Promise<BodyAnswer> =>
      turns.run(orgId, () => askNow(message)),
  };
}

async function answerOf(worker: Worker, message: BodyMessage): Promise<BodyAnswer> {
  const answer = Promise.withResolvers<BodyAnswer>();
  const onExit = (): void => answer.reject(new Error("the body reader thread exited"));
  const onError = (error: NodeJS.ErrnoException): void =>
    answer.reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch() : error);
  worker.once("message", answer.resolve).once("error", onError).once("exit", onExit);
  worker.postMessage(message, [message.bytes.buffer]);
  try {
    return await answer.promise;
  } finally {
    worker.off("message", answer.resolve).off("error", onError).off("exit", onExit);
  }
}

function startWorker(): Worker {
  const { file, text = "" } = bodyProgram;
  const worker = new Worker(file ?? text, {
    eval: file === undefined,
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  worker.unref();
  return worker;
}

function refusalOf(answer: BodyAnswer): Error {
  if ("refused" in answer) return new Problem(answer.refused);
  return new Error("a body was read as something else");
}

const keptWaiting = (): Problem =>
  problem.unavailable("Timed out behind other large bodies. Try again later.", 5);

const tooMuch = (): Problem =>
  new Problem({
    status: 413,
    code: "too_many_parts",
    detail: "The body has too many values. Split it into several requests.",
  });
