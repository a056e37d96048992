import { html } from "hono/html";
import { flushRunnerRoute } from "../../../shared/api/control-runner-jobs.ts";
import { getRunnerRoute } from "../../../shared/api/runners.ts";
import { runnerJobGroups } from "../../../shared/runner-job-types.ts";
import type { Action } from "../page.ts";
import { counted } from "../parts/counted.ts";
import { choiceField, wrongField } from "../parts/fields.ts";
import { runningWords } from "./order-runner.ts";
import { groupName } from "./queue-table.ts";
import { nameOf, sum } from "./runner-table.ts";

const all = "all";

/** Ends the jobs that wait for a runner, of one job group or of all. */
export const flushRunner: Action = {
  path: "/runners/{runner_id}/flush",
  permission: "jobs.cancel",
  async ask(view, entered) {
    const params = { runner_id: view.param("runner_id") };
    const runner = await view.ask(getRunnerRoute, { params });
    const waiting = sum(runner.queues, "depth");
    const values = runner.queues
      .filter(({ depth }) => depth > 0)
      .map(({ name, depth }) => [name, `${groupName(name)}: ${counted(depth, "job")}`] as const);
    return {
      title: `End jobs that wait for ${nameOf(runner)}`,
      text: html`<p>
          ${counted(waiting, "job waits", "jobs wait")}. They end as <b>not-attempted</b>, which
          cannot be undone; each can be run again.
        </p>
        <p>${runningWords(runner, "they finish")}</p>`,
      fields: choiceField(
        {
          name: "group",
          label: "Job group",
          values: [[all, `all: ${counted(waiting, "job")}`], ...values],
        },
        entered,
      ),
      button: "End the waiting jobs",
      isDangerous: true,
      back: `/runners/${runner.id}`,
    };
  },
  async run(view, form) {
    const params = { runner_id: view.param("runner_id") };
    const chosen = form.get("group") ?? all;
    const group = runnerJobGroups.find((one) => one === chosen);
    if (group === undefined && chosen !== all) {
      throw wrongField("group", "Choose one of the job groups, or all.");
    }
    const body = group === undefined ? {} : { group };
    const { flushed } = await view.ask(flushRunnerRoute, { params, body });
    const said = `Ended ${counted(flushed, "waiting job")} as not-attempted.`;
    return { said, to: `/runners/${params.runner_id}` };
  },
};
