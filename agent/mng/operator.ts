import type { Operation } from "./journal.ts";
import { drain, stop } from "./steps/drain.ts";
import { powerOff } from "./steps/power-off.ts";
import { prepare } from "./steps/prepare.ts";
import { freshMemory, isTriedAgain, type Step, type StepContext, wordsOf } from "./steps/step.ts";
import { back, prove, reprove, start } from "./steps/switch.ts";
import type { Supervision } from "./supervision.ts";

/** Keeps the agent running, and carries out operations; each step is in the journal before it is taken. */
export type Operator = Pick<StepContext, "end" | "keepRunning"> & {
  readonly begin: (operation: Operation) => Promise<void>;
  /** Takes the next step, or looks whether it can be taken; returns when to look again, in ms. */
  readonly advance: (operation: Operation) => Promise<number>;
};

const restMs = 1_000;

const steps: Readonly<Record<Operation["step"], Step>> = {
  prepare,
  drain,
  stop,
  start,
  prove,
  back,
  reprove,
  power: powerOff,
};

/** Makes the operator of a supervisor; `over` aborts when this process ends. */
export function makeOperator(supervision: Supervision, over: AbortSignal): Operator {
  const { driver, journal, keeper, log, say } = supervision;
  let memory = freshMemory("");

  async function startAgent(release: string): Promise<void> {
    keeper.started(performance.now());
    log.info({ release, driver: driver.name }, "starting the agent");
    await driver.start(release);
  }

  const context: StepContext = {
    ...supervision,
    over,
    memory: () => memory,
    keepRunning: async () => await keepRunning(supervision, startAgent),
    startAgent,
    async move(operation, step, more = {}) {
      await journal.write({ operation: { ...operation, ...more, step } });
      memory = freshMemory(operation.key);
      return 0;
    },
    async end(operation, result, words, change = {}) {
      const { key, from, to } = operation;
      const ended = [...journal.read().ended, { key, outcome: { result, words, from, to } }];
      await journal.write({ operation: null, finishing: false, ...change, ended });
      say(key, words);
      memory = freshMemory("");
      keeper.forgive();
      return 0;
    },
  };

  return {
    begin: async (operation) => await journal.write({ operation }),
    async advance(operation) {
      if (memory.key !== operation.key) memory = freshMemory(operation.key);
      try {
        const waitMs = await steps[operation.step](context, operation);
        memory.troubles = 0;
        return waitMs;
      } catch (error) {
        memory.troubles += 1;
        // What has begun to change the agent is not left half done.
        const isHarmless = operation.step === "prepare" || operation.step === "drain";
        if (!isHarmless || isTriedAgain(memory.troubles)) throw error;
        const words = `It was given up: ${wordsOf(error)}`;
        return await context.end(operation, "failed", words, { finishing: memory.nudges > 0 });
      }
    },
    end: context.end,
    keepRunning: context.keepRunning,
  };
}

/** Starts the agent when it has ended, and its delay is over; returns when to look again, in ms. */
async function keepRunning(
  { driver, journal, keeper, log }: Supervision,
  startAgent: (release: string) => Promise<void>,
): Promise<number> {
  const { stopped, release, finishing } = journal.read();
  const seen = await driver.look();
  if (seen.isRunning && stopped !== "") await journal.write({ stopped: "" }); // somebody started it
  else if (stopped !== "") return restMs;
  if (!seen.isRunning && finishing) {
    // It ended because it was told to finish for an operation that then gave up.
    keeper.forgive();
    await journal.write({ finishing: false });
  }
  const advice = keeper.advise(seen, performance.now());
  if (advice.do === "wait") return advice.ms;
  if (advice.do === "start") await startAgent(release);
  if (advice.do === "leave") {
    log.info({ why: advice.why }, "the agent has ended and is not restarted");
    await journal.write({ stopped: advice.why });
  }
  return restMs;
}
