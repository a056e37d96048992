import { restartManagedRunnerRoute } from "../../../shared/api/manage-runner.ts";
import { getRunnerRoute } from "../../../shared/api/runners.ts";
import type { Action } from "../page.ts";
import { reasonField, reasonOf, runningWords } from "./order-runner.ts";
import { nameOf } from "./runner-table.ts";

/** Has the management process of a runner's host start the agent anew, also one that was shut down. */
export const startAgent: Action = {
  path: "/runners/{runner_id}/start-agent",
  permission: "runners.operate",
  async ask(view, entered) {
    const params = { runner_id: view.param("runner_id") };
    const runner = await view.ask(getRunnerRoute, { params });
    return {
      title: `Start the agent of ${nameOf(runner)} anew`,
      text: `Its management process starts the agent, also one that was shut down. ${runningWords(runner, "they finish first")} It is given up after an hour.`,
      fields: reasonField(entered),
      button: "Start the agent",
      back: `/runners/${runner.id}`,
    };
  },
  async run(view, form) {
    const params = { runner_id: view.param("runner_id") };
    const body = reasonOf(form);
    const job = await view.ask(restartManagedRunnerRoute, { params, body });
    const said = "Told its management process to start the agent.";
    return {
      said,
      to: `/runners/${params.runner_id}`,
      undo: { label: "Cancel the order", action: `/jobs/${job.id}/cancel` },
    };
  },
};
