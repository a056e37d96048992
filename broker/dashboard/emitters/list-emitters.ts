import { listEmittersRoute } from "../../../shared/api/emitters.ts";
import { emitterModes, emitterStatuses } from "../../../shared/queue-emitter.ts";
import { listPage } from "../parts/list-page.ts";
import { emitterTable } from "./emitter-table.ts";

/** GET /emitters: what emits signals, and when. */
export const listEmitters = listPage({
  path: "/emitters",
  permission: "queues.read",
  title: "Emitters",
  icon: "emitters",
  one: "emitter",
  filters: {
    status: { label: "Status", values: emitterStatuses },
    mode: { label: "Mode", values: emitterModes },
    signal_type: { label: "Signal type" },
    name: { label: "Name", placeholder: "exactly" },
  },
  read: async (view, query) => await view.ask(listEmittersRoute, { query }),
  show: (items, { nowMs }) => emitterTable("Emitters, the newest first", items, nowMs),
  whenNone: "An emitter enqueues signals in a queue at the ticks of a schedule.",
  live: ["minute"],
});
