import {
  disableRunnerRoute,
  enableRunnerRoute,
  getRunnerRoute,
  pauseRunnerRoute,
  resumeRunnerRoute,
} from "../../../shared/api/runners.ts";
import type { Action } from "../page.ts";
import { pausingActions } from "../parts/pausing.ts";
import { flushRunner } from "./flush-runner.ts";
import { orderRunner, runningWords } from "./order-runner.ts";
import { nameOf } from "./runner-table.ts";
import { shutDownProcess } from "./shut-down-process.ts";
import { startAgent } from "./start-agent.ts";
import { updateVersion } from "./update-version.ts";

const path = "/runners/{runner_id}";

const disableRunner: Action = {
  path: `${path}/disable`,
  permission: "runners.write",
  async ask(view) {
    const params = { runner_id: view.param("runner_id") };
    const runner = await view.ask(getRunnerRoute, { params });
    return {
      title: `Disable ${nameOf(runner)}`,
      text: `It accepts no new jobs: an enqueue is refused. Waiting jobs keep waiting. ${runningWords(runner, "they finish")}`,
      button: "Disable",
      isDangerous: true,
      back: `/runners/${runner.id}`,
    };
  },
  async run(view) {
    const params = { runner_id: view.param("runner_id") };
    const runner = await view.ask(disableRunnerRoute, { params });
    const to = `/runners/${runner.id}`;
    const said = `Disabled ${nameOf(runner)}: it accepts no new jobs.`;
    return { said, to, undo: { label: "Enable", action: `${to}/enable` } };
  },
};

const enableRunner: Action = {
  path: `${path}/enable`,
  permission: "runners.write",
  async ask(view) {
    const params = { runner_id: view.param("runner_id") };
    const runner = await view.ask(getRunnerRoute, { params });
    return {
      title: `Enable ${nameOf(runner)}`,
      text: "It accepts jobs again, and waiting jobs start at once.",
      button: "Enable",
      back: `/runners/${runner.id}`,
    };
  },
  async run(view) {
    const params = { runner_id: view.param("runner_id") };
    const runner = await view.ask(enableRunnerRoute, { params });
    const to = `/runners/${runner.id}`;
    const said = `Enabled ${nameOf(runner)}.`;
    return { said, to, undo: { label: "Disable", action: `${to}/disable` } };
  },
};

const pausing = pausingActions({
  path,
  permission: "runners.operate",
  effect:
    "No job is started while it is paused. Running jobs continue; new ones are accepted and wait.",
  async find(view) {
    const runner = await view.ask(getRunnerRoute, {
      params: { runner_id: view.param("runner_id") },
    });
    return { name: nameOf(runner), to: `/runners/${runner.id}`, pause: runner.pause };
  },
  pause: async (view, body) =>
    await view.ask(pauseRunnerRoute, { params: { runner_id: view.param("runner_id") }, body }),
  resume: async (view) =>
    await view.ask(resumeRunnerRoute, { params: { runner_id: view.param("runner_id") }, body: {} }),
});

/** Everything that can be done with a runner and its processes. */
export const runnerActions: readonly Action[] = [
  ...pausing,
  orderRunner("drain"),
  orderRunner("restart"),
  orderRunner("force-shutdown"),
  shutDownProcess,
  updateVersion,
  startAgent,
  flushRunner,
  disableRunner,
  enableRunner,
];
