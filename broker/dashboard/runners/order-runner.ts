import { html } from "hono/html";
import {
  forceShutdownRoute,
  gracefulShutdownRoute,
  type ProcessShutdown,
  restartRunnerRoute,
} from "../../../shared/api/runner-process-shutdown.ts";
import { listProcessesRoute, type RunnerProcess } from "../../../shared/api/runner-process.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { getRunnerRoute } from "../../../shared/api/runners.ts";
import type { Action, Html, View } from "../page.ts";
import { counted } from "../parts/counted.ts";
import { requireTyped, textField, typedField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";
import { timeAgo } from "../parts/time.ts";
import { isOpenOrder } from "./process-table.ts";
import { nameOf, sum } from "./runner-table.ts";

const path = "/runners/{runner_id}";

/** The orders to all processes of a runner, in words. */
const orders = {
  drain: {
    verb: "Drain",
    does: "Its processes take no new jobs and shut down: a graceful shutdown. Waiting jobs keep waiting until a process serves again.",
    told: "is told to shut down after its running jobs",
    toldMany: "are told to shut down after their running jobs",
    nobody: "there is nobody to drain",
  },
  restart: {
    verb: "Restart",
    does: "Its processes take no new jobs and start anew. Waiting jobs wait for that.",
    told: "is told to restart after its running jobs",
    toldMany: "are told to restart after their running jobs",
    nobody: "there is nobody to restart",
  },
  "force-shutdown": {
    verb: "Force shutdown of",
    does: "Its processes stop at once, whatever they do.",
    told: "is told to stop now",
    toldMany: "are told to stop now",
    nobody: "there is nobody to shut down",
  },
} as const;
type Order = keyof typeof orders;

/** Tells all processes of a runner to drain, to restart, or to stop at once. */
export function orderRunner(order: Order): Action {
  const { verb, does, told, toldMany, nobody } = orders[order];
  const isForce = order === "force-shutdown";
  return {
    path: `${path}/${order}`,
    permission: "runners.operate",
    async ask(view, entered) {
      const { runner, live } = await findLive(view, nobody);
      const name = nameOf(runner);
      return {
        title: `${verb} ${name}`,
        text: html`<p>${counted(live.length, "process is", "processes are")} alive. ${does}</p>
          <p>
            ${isForce ? forceWords(runner) : runningWords(runner, "they finish first, as long as the deadline lets them")}
          </p>
          ${openOrders(live, view.nowMs)}`,
        fields: html`${isForce ? typedField(name) : deadlineField(entered)}${reasonField(entered)}`,
        button: isForce ? "Stop all processes now" : verb,
        isDangerous: isForce,
        back: `/runners/${runner.id}`,
      };
    },
    async run(view, form) {
      const { runner } = await findLive(view, nobody);
      if (isForce) requireTyped(form, nameOf(runner));
      const made = await send(view, order, form);
      const running = sum(runner.queues, "in_flight");
      const count = counted(made.length, `process ${told}`, `processes ${toldMany}`);
      return {
        said: `${nameOf(runner)}: ${count}${endWords(made, running)}.`,
        to: `/runners/${runner.id}`,
      };
    },
  };
}

async function send(view: View, order: Order, form: URLSearchParams): Promise<ProcessShutdown[]> {
  const params = { runner_id: view.param("runner_id") };
  if (order === "force-shutdown") {
    return await view.ask(forceShutdownRoute, { params, body: reasonOf(form) });
  }
  const body = { ...deadlineOf(form), ...reasonOf(form) };
  const route = order === "drain" ? gracefulShutdownRoute : restartRunnerRoute;
  return await view.ask(route, { params, body });
}

/** The runner and its live processes; 409 when there is none: nobody would hear the order. */
async function findLive(
  view: View,
  nobody: string,
): Promise<{ readonly runner: Runner; readonly live: readonly RunnerProcess[] }> {
  const params = { runner_id: view.param("runner_id") };
  const [runner, { items }] = await Promise.all([
    view.ask(getRunnerRoute, { params }),
    view.ask(listProcessesRoute, { params, query: { alive: "true", limit: 100 } }),
  ]);
  const live = items.filter(({ type }) => type !== "mng"); // that one stays, to start the others again
  if (live.length > 0) return { runner, live };
  if (items.length > 0) {
    throw notNow(`Only the management process of ${nameOf(runner)} is alive, so ${nobody}.`);
  }
  throw notNow(
    `No process of ${nameOf(runner)} is alive, so ${nobody}. It was last heard of ${runner.process_summary.last_seen_at ?? "never"}.`,
  );
}

/** How long running jobs may go on. */
export function deadlineField(entered: URLSearchParams): Html {
  const hint = "What still runs then is killed and fails. 1s to 24h.";
  return textField({ name: "deadline", label: "Deadline", value: "30m", hint }, entered);
}

/** What was entered there, as the API takes it. */
export function deadlineOf(form: URLSearchParams): { deadline?: string } {
  const deadline = form.get("deadline")?.trim();
  return deadline ? { deadline } : {};
}

/** Why an order is given: shown with its record. */
export function reasonField(entered: URLSearchParams): Html {
  return textField(
    { name: "reason", label: "Reason", placeholder: "Shown with the order" },
    entered,
  );
}

/** What was entered there. */
export function reasonOf(form: URLSearchParams): { reason: string } {
  return { reason: form.get("reason")?.trim() ?? "" };
}

/** "2 jobs are running: they finish." */
export function runningWords({ queues }: Pick<Runner, "queues">, they: string): string {
  const running = sum(queues, "in_flight");
  if (running === 0) return "No job is running.";
  return `${counted(running, "job is", "jobs are")} running: ${running === 1 ? they.replace("they finish", "it finishes") : they}.`;
}

function forceWords({ queues }: Runner): string {
  const running = sum(queues, "in_flight");
  if (running === 0) return "No job is running.";
  return `${counted(running, "job is", "jobs are")} running. What runs is killed, fails, and is never retried.`;
}

/** A second order while one runs takes its place, unless that one is by force. */
export function openOrders(live: readonly RunnerProcess[], nowMs: number): Html {
  const open = live.flatMap(({ shutdowns }) => shutdowns.filter(isOpenOrder));
  const [first] = open;
  if (first === undefined) return html``;
  return html`<p>
    <strong>${counted(open.length, "order is", "orders are")} open already</strong>: ${first.type},
    asked ${timeAgo(first.created_at, nowMs)}.
    ${
      open.some(({ type }) => type === "force")
        ? "A forced shutdown cannot be replaced."
        : "This one takes its place."
    }
  </p>`;
}

/** What that does to running jobs, and until when. */
export function endWords(made: readonly ProcessShutdown[], running: number): string {
  const deadline = made
    .map(({ deadline_at: at }) => at)
    .filter((at) => at !== null)
    .toSorted()
    .at(-1);
  if (running === 0 || deadline === undefined) return "; no job was running";
  const jobs = counted(running, "job");
  return made.some(({ type }) => type === "force")
    ? `; ${jobs} will fail`
    : `; ${jobs} may finish until ${deadline.slice(0, 16).replace("T", " ")} UTC`;
}
