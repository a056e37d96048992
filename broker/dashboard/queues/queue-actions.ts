import { html } from "hono/html";
import {
  getQueueRoute,
  getQueueStatusRoute,
  pauseQueueRoute,
  purgeQueueRoute,
  resumeQueueRoute,
} from "../../../shared/api/queues.ts";
import { redriveSignalsRoute } from "../../../shared/api/signals.ts";
import type { Action, View } from "../page.ts";
import { counted } from "../parts/counted.ts";
import { choiceField, requireTyped, typedField } from "../parts/fields.ts";
import { pausingActions } from "../parts/pausing.ts";
import { cancelSignal, redriveSignal } from "./signal-actions.ts";

const path = "/queues/{queue_id}";
const permission = "queues.operate";
const paramsOf = (view: View) => ({ queue_id: view.param("queue_id") });

const pausing = pausingActions({
  path,
  permission,
  effect:
    "No signal begins while it is paused. Those in flight continue; new ones are accepted and wait.",
  async find(view) {
    const queue = await view.ask(getQueueRoute, { params: paramsOf(view) });
    const { paused_until: until, paused_note: note, paused_by_id: by } = queue;
    const pause = { at: null, until, note: note ?? "", by_id: by ?? "" };
    return { name: queue.name, to: `/queues/${queue.id}`, pause: queue.paused ? pause : null };
  },
  pause: async (view, body) => await view.ask(pauseQueueRoute, { params: paramsOf(view), body }),
  resume: async (view) => await view.ask(resumeQueueRoute, { params: paramsOf(view), body: {} }),
});

const purgeQueue: Action = {
  path: `${path}/purge`,
  permission,
  async ask(view, entered) {
    const queue = await view.ask(getQueueRoute, { params: paramsOf(view) });
    const waiting = counted(queue.depth, "signal waits", "signals wait");
    const values = [
      ["waiting", `What waits: ${counted(queue.depth, "signal")}`],
      ["all", `And what is in flight: ${counted(queue.in_flight, "signal")} more`],
    ] as const;
    return {
      title: `Purge ${queue.name}`,
      text: html`<p>
        ${waiting}, ${queue.in_flight} in flight. They end as <b>cancelled</b>, which cannot be
        undone.
      </p>`,
      fields: html`${choiceField({ name: "what", label: "Cancel", values }, entered)}
      ${typedField(queue.name)}`,
      button: "Purge this queue",
      isDangerous: true,
      back: `/queues/${queue.id}`,
    };
  },
  async run(view, form) {
    const params = paramsOf(view);
    const queue = await view.ask(getQueueRoute, { params });
    requireTyped(form, queue.name);
    const body = { in_flight: form.get("what") === "all" };
    const { purged, has_more: hasMore } = await view.ask(purgeQueueRoute, { params, body });
    const more = hasMore ? " More wait: purge again." : "";
    return { said: `Cancelled ${counted(purged, "signal")}.${more}`, to: `/queues/${queue.id}` };
  },
};

const redriveQueue: Action = {
  path: `${path}/redrive`,
  permission,
  async ask(view) {
    const params = paramsOf(view);
    const [queue, { counts }] = await Promise.all([
      view.ask(getQueueRoute, { params }),
      view.ask(getQueueStatusRoute, { params }),
    ]);
    const dead = counts.dead >= 10_000 ? "10,000 or more signals" : counted(counts.dead, "signal");
    return {
      title: `Put dead signals of ${queue.name} back in line`,
      text: `${dead} are dead. They go last in line, the oldest first, with all their executions again, as many as there is room for.`,
      button: "Put them back in line",
      back: `/queues/${queue.id}`,
    };
  },
  async run(view) {
    const params = paramsOf(view);
    const answer = await view.ask(redriveSignalsRoute, { params, body: {} });
    const more = answer.has_more ? " Others are dead still: do it again, once there is room." : "";
    const kept =
      answer.forbidden === 0
        ? ""
        : ` ${counted(answer.forbidden, "signal stays", "signals stay")} dead: you may not do by hand what they do.`;
    const said = `Put ${counted(answer.redriven, "signal")} back in line.${kept}${more}`;
    return { said, to: `/queues/${params.queue_id}` };
  },
};

/** Everything that can be done with a queue and its signals. */
export const queueActions: readonly Action[] = [
  ...pausing,
  purgeQueue,
  redriveQueue,
  cancelSignal,
  redriveSignal,
];
