import { html } from "hono/html";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import {
  cancelSignalRoute,
  getSignalRoute,
  redriveSignalRoute,
} from "../../../shared/api/signals.ts";
import type { Action, Html, View } from "../page.ts";
import { notNow } from "../parts/not-now.ts";
import { isLiveSignal } from "./signal-table.ts";

const path = "/signals/{signal_id}";
const permission = "queues.operate";
const paramsOf = (view: View) => ({ signal_id: view.param("signal_id") });
const find = async (view: View): Promise<QueueSignal> =>
  await view.ask(getSignalRoute, { params: paramsOf(view), query: { data: "false" } });
const placeOf = ({ queue_id: queueId }: QueueSignal): string => `/queues/${queueId}`;

/** Cancels one signal. */
export const cancelSignal: Action = {
  path: `${path}/cancel`,
  permission,
  back: () => "/queues",
  async ask(view) {
    const signal = await find(view);
    if (!isLiveSignal(signal)) throw notSo(signal, "in its queue");
    const { status } = signal.status;
    const then = status === "in-flight" ? " Its worker loses its lease." : "";
    return {
      title: "Cancel this signal",
      text: html`<p>${words(signal)} is ${status}.${then} It cannot be put back in line.</p>`,
      button: "Cancel this signal",
      isDangerous: true,
      back: placeOf(signal),
    };
  },
  async run(view) {
    const signal = await view.ask(cancelSignalRoute, { params: paramsOf(view) });
    return { said: `Cancelled signal ${signal.id}.`, to: placeOf(signal) };
  },
};

/** Puts one dead signal back in line. */
export const redriveSignal: Action = {
  path: `${path}/redrive`,
  permission,
  back: () => "/queues",
  async ask(view) {
    const signal = await find(view);
    if (signal.status.status !== "dead") throw notSo(signal, "dead");
    return {
      title: "Put this signal back in line",
      text: html`<p>${words(signal)} goes last in line, with all its executions again.</p>`,
      button: "Put it back in line",
      back: placeOf(signal),
    };
  },
  async run(view) {
    const signal = await view.ask(redriveSignalRoute, { params: paramsOf(view) });
    const undo = { label: "Cancel it", action: `/signals/${signal.id}/cancel` };
    return { said: `Signal ${signal.id} is in line again.`, to: placeOf(signal), undo };
  },
};

const words = ({ id, type }: QueueSignal): Html =>
  html`<span class="id">${id}</span>, of type ${type},`;

const notSo = ({ status: { status } }: QueueSignal, wanted: string): Error =>
  notNow(`This signal is ${status} by now, and not ${wanted}.`);
