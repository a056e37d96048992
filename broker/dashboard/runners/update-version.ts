import { html } from "hono/html";
import { updateRunnerVersionRoute } from "../../../shared/api/runner-updates.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { getRunnerRoute } from "../../../shared/api/runners.ts";
import { isLast } from "../../../shared/moves.ts";
import { shutdownTransitions } from "../../../shared/runner-process.ts";
import type { Action, Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { textField } from "../parts/fields.ts";
import { timeAgo, timeAt } from "../parts/time.ts";
import { deadlineOf, reasonField, reasonOf, runningWords } from "./order-runner.ts";
import { nameOf } from "./runner-table.ts";

/** Orders the host of a runner to run another version of the agent. */
export const updateVersion: Action = {
  path: "/runners/{runner_id}/update-version",
  permission: "runners.operate",
  async ask(view, entered) {
    const params = { runner_id: view.param("runner_id") };
    const runner = await view.ask(getRunnerRoute, { params });
    const { wanted, wanted_image: image, summary } = runner.versions;
    const isOfImage = wanted === "" && image !== "";
    const what = isOfImage
      ? { name: "image", label: "Image", value: image, hint: "With its tag or digest." }
      : { name: "version", label: "Version", value: wanted, placeholder: "1.3.0" };
    return {
      title: `Update ${nameOf(runner)}`,
      text: html`<p>It ${summary}. ${runningWords(runner, "they finish first")}</p>
        <p>
          Its management process switches the agent, and goes back to the present version if the new
          one does not work.
        </p>`,
      fields: html`${textField(what, entered)}
      ${textField({ name: "deadline", label: "Deadline", value: "1h", hint: "Then it is given up. 5m to 24h." }, entered)}
      ${reasonField(entered)}`,
      button: "Update",
      back: `/runners/${runner.id}`,
    };
  },
  async run(view, form) {
    const params = { runner_id: view.param("runner_id") };
    const target = {
      version: form.get("version")?.trim() ?? "",
      image: form.get("image")?.trim() ?? "",
    };
    const body = { ...target, ...deadlineOf(form), ...reasonOf(form) };
    const made = await view.ask(updateRunnerVersionRoute, { params, body });
    const said = `Told its management process to switch the agent to ${made.version || made.image}.`;
    return { said, to: `/runners/${params.runner_id}` };
  },
};

/** The latest order to update a runner, and what became of it. */
export function latestUpdate({ updates = [] }: Runner, nowMs: number): Html {
  const [update] = updates;
  if (update === undefined) return html`none ordered`;
  const { status, deadline_at: deadline } = update;
  const isOver = isLast(shutdownTransitions, status);
  return html`to ${update.version || update.image} ${badge(status)}
    <div class="dim">
      <a class="id" href="/jobs/${update.job_id}">${update.job_id}</a>
      ${update.reason === "" ? "" : `${update.reason}, `}asked ${timeAgo(update.created_at, nowMs)}
      by
      ${update.created_by_id}${isOver || deadline === null ? "" : html`, until ${timeAt(deadline)}`}
      ${update.status_description}
    </div>`;
}
