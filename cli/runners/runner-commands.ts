import type { Command } from "../command.ts";
import { createRunner } from "./create-runner.ts";
import { deleteRunner } from "./delete-runner.ts";
import { drainRunner } from "./drain-runner.ts";
import { disableRunner, enableRunner } from "./enable-runner.ts";
import { enrolRunner } from "./enrol-runner.ts";
import { flushRunner } from "./flush-runner.ts";
import { getRunner } from "./get-runner.ts";
import { listRunners } from "./list-runners.ts";
import { manageRunner } from "./manage-runner.ts";
import { pauseRunner, resumeRunner } from "./pause-runner.ts";
import { shutDownRunner } from "./shut-down-runner.ts";
import { updateRunnerVersion } from "./update-runner-version.ts";

/** The commands of runners, in the order of help. */
export const runnerCommands: readonly Command[] = [
  createRunner,
  enrolRunner,
  listRunners,
  getRunner,
  pauseRunner,
  resumeRunner,
  enableRunner,
  disableRunner,
  drainRunner,
  shutDownRunner,
  updateRunnerVersion,
  ...manageRunner,
  flushRunner,
  deleteRunner,
];
