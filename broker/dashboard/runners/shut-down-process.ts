import { html } from "hono/html";
import {
  type ShutdownType,
  shutdownTypes,
  shutDownProcessRoute,
} from "../../../shared/api/runner-process-shutdown.ts";
import { getProcessRoute, type RunnerProcess } from "../../../shared/api/runner-process.ts";
import type { Action, View } from "../page.ts";
import { choiceField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";
import { deadlineField, deadlineOf, openOrders, reasonField, reasonOf } from "./order-runner.ts";
import { isAlive } from "./process-table.ts";

const kinds = [
  ["graceful", "Shut down after its running jobs"],
  ["restart", "Restart after its running jobs"],
  ["force", "Stop now: what it runs fails, and is never retried"],
] as const satisfies (readonly [ShutdownType, string])[];

/** Tells one process to shut down, to restart, or to stop at once. */
export const shutDownProcess: Action = {
  path: "/runners/{runner_id}/processes/{process_id}/shutdown",
  permission: "runners.operate",
  async ask(view, entered) {
    const process = await findAlive(view);
    return {
      title: "Shut down one process",
      text: html`<p>
          <span class="id">${process.id}</span>, version ${process.version || "unknown"}, takes no
          new jobs from now on. Other processes of the runner go on.
        </p>
        ${
          process.type === "mng"
            ? html`<p>
                <strong>It manages its host</strong>: without it, the agent there cannot be started,
                updated or restarted from here.
              </p>`
            : ""
        }
        ${openOrders([process], view.nowMs)}`,
      fields: html`${choiceField({ name: "type", label: "How", values: kinds }, entered)}
      ${deadlineField(entered)}${reasonField(entered)}`,
      button: "Shut down this process",
      isDangerous: true,
      back: `/runners/${process.runner_id}`,
    };
  },
  async run(view, form) {
    const process = await findAlive(view);
    const type = shutdownTypes.find((one) => one === form.get("type")) ?? "graceful";
    const body = {
      shutdown_type: type,
      ...reasonOf(form),
      ...(type !== "force" && deadlineOf(form)),
    };
    await view.ask(shutDownProcessRoute, { params: paramsOf(view), body });
    const how = kinds.find(([kind]) => kind === type)?.[1] ?? type;
    return { said: `Told process ${process.id}: ${how}.`, to: `/runners/${process.runner_id}` };
  },
};

const paramsOf = (view: View) => ({
  runner_id: view.param("runner_id"),
  process_id: view.param("process_id"),
});

async function findAlive(view: View): Promise<RunnerProcess> {
  const process = await view.ask(getProcessRoute, { params: paramsOf(view) });
  if (isAlive(process)) return process;
  const { status } = process.composite_status;
  throw notNow(`This process is already ${status}. There is nothing to shut down.`);
}
