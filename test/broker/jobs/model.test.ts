import fc from "fast-check";
import { beforeAll, test } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { executionStatuses } from "../../../shared/runner-job-execution.ts";
import { testDatabase } from "../../support/database/database.ts";
import { enqueue, giveBack, result, say, take } from "../../support/model/job-commands.ts";
import { JobModel } from "../../support/model/job-model.ts";
import {
  appear,
  cancel,
  flush,
  pass,
  setPaused,
  setSlots,
  shutDown,
  takeOver,
} from "../../support/model/operator-commands.ts";
import { walks } from "../../support/model/walks.ts";
import { givenProcess, givenRunner } from "../../support/rows/given.ts";

let db: Db;
beforeAll(async () => {
  ({ db } = await testDatabase());
});

const nat = fc.nat({ max: 50 });
const ms = (min: number, max: number) => fc.integer({ min, max }).map((seconds) => seconds * 1000);
const clocks = fc.record({
  queueMs: ms(20, 300),
  availableMs: ms(10, 100),
  executionMs: ms(20, 300),
  overallMs: ms(60, 900),
  maxExecutions: fc.integer({ min: 1, max: 3 }),
});
const commands = fc.commands(
  [
    clocks.map(enqueue),
    clocks.map(enqueue),
    fc.tuple(nat, fc.integer({ min: 1, max: 3 })).map(([who, want]) => take(who, want)),
    fc.tuple(nat, fc.integer({ min: 1, max: 3 })).map(([who, want]) => take(who, want)),
    fc
      .tuple(nat, fc.constantFrom(...executionStatuses))
      .map(([which, status]) => say(which, status)),
    nat.map(result),
    nat.map(giveBack),
    nat.map(cancel),
    fc.constant(flush),
    fc.integer({ min: 0, max: 4 }).map(setSlots),
    fc.boolean().map(setPaused),
    fc.constant(appear),
    nat.map(shutDown),
    nat.map(takeOver),
    fc.integer({ min: 1, max: 90 }).map((seconds) => pass(seconds, null)),
    fc.tuple(fc.integer({ min: 1, max: 30 }), nat).map(([seconds, who]) => pass(seconds, who)),
  ],
  { maxCommands: 40, size: "max" },
);

test("whatever is done in whatever order, every job moves by the table and for a reason of the contract", async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (planned) => {
      await fc.asyncModelRun(async () => {
        const runner = await givenRunner(db, { parallelism: { deploy: 2 } });
        const alive = [await givenProcess(db, runner, { serves: { deploy: 2 } })];
        return { model: new JobModel(), real: { db, runner, alive } };
      }, planned);
    }),
    walks(20),
  );
});
