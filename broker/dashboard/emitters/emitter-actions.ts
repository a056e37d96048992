import { html } from "hono/html";
import type { Emitter } from "../../../shared/api/emitter.ts";
import {
  fireEmitterRoute,
  getEmitterRoute,
  pauseEmitterRoute,
  resumeEmitterRoute,
} from "../../../shared/api/emitters.ts";
import type { Action, View } from "../page.ts";
import { pausingActions } from "../parts/pausing.ts";

const path = "/emitters/{emitter_id}";
const permission = "queues.operate";
const paramsOf = (view: View) => ({ emitter_id: view.param("emitter_id") });
const find = async (view: View): Promise<Emitter> =>
  await view.ask(getEmitterRoute, { params: paramsOf(view), query: { data: "false" } });

const fireEmitter: Action = {
  path: `${path}/fire`,
  permission,
  async ask(view) {
    const emitter = await find(view);
    return {
      title: `Fire ${emitter.name} now`,
      text: html`<p>
        It enqueues one signal of type ${emitter.signal_type} at once. Its schedule stays as it is.
      </p>`,
      button: "Fire now",
      back: `/emitters/${emitter.id}`,
    };
  },
  async run(view) {
    const signal = await view.ask(fireEmitterRoute, { params: paramsOf(view), body: {} });
    return {
      said: signal.deduplicated
        ? `Signal ${signal.id} with the same dedupe key is in the queue already; nothing was enqueued.`
        : `Enqueued signal ${signal.id}.`,
      to: `/emitters/${view.param("emitter_id")}`,
      ...(!signal.deduplicated && {
        undo: { label: "Cancel the signal", action: `/signals/${signal.id}/cancel` },
      }),
    };
  },
};

/** Everything that can be done with an emitter. */
export const emitterActions: readonly Action[] = [
  ...pausingActions({
    path,
    permission,
    effect:
      "It emits nothing while it is paused. Ticks that pass during the pause are not made up for.",
    async find(view) {
      const emitter = await find(view);
      return { name: emitter.name, to: `/emitters/${emitter.id}`, pause: emitter.pause };
    },
    pause: async (view, body) =>
      await view.ask(pauseEmitterRoute, { params: paramsOf(view), body }),
    resume: async (view) =>
      await view.ask(resumeEmitterRoute, { params: paramsOf(view), body: {} }),
  }),
  fireEmitter,
];
