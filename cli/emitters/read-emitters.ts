import type { EmitterTicks } from "../../shared/api/emitter.ts";
import {
  getEmitterRoute,
  getEmitterTicksRoute,
  listEmittersRoute,
} from "../../shared/api/emitters.ts";
import { formatDuration, secondNs } from "../../shared/duration.ts";
import { emitterModes, emitterStatuses } from "../../shared/queue-emitter.ts";
import { defineCommand } from "../command.ts";
import { readWhole } from "../flags/read-flags.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem, type View } from "../output/print.ts";
import { emitterDetails, emitterLine } from "./emitter-view.ts";
import { emitterArgs as args } from "./operate-emitter.ts";

export const listEmitters = defineList({
  name: "emitter list",
  summary: "List emitters, newest first.",
  flags: {
    queue: { value: "QUEUE", offers: "queues", summary: "Only this queue's." },
    name: { value: "NAME", summary: "Only emitters with this name." },
    mode: { value: "MODE", choices: emitterModes, summary: "Only emitters of this mode." },
    status: { value: "STATUS", choices: emitterStatuses, summary: "Only emitters in this status." },
  },
  examples: [{ does: "List the paused emitters.", run: "svc emitter list --status paused" }],
  view: emitterLine,
  empty: "No emitters found. Create one: svc emitter create --help",
  read: async ({ flags, call, page }) => {
    const { queue: queue_id, name, mode, status } = flags;
    return await call(listEmittersRoute, { query: { queue_id, name, mode, status, ...page } });
  },
});

export const getEmitter = defineCommand({
  name: "emitter get",
  summary: "Show an emitter: when it emits what, and what it has emitted.",
  args,
  examples: [{ does: "Show an emitter.", run: "svc emitter get emt_…" }],
  run: async ({ args, call, screen }) => {
    const params = { emitter_id: args.emitter };
    printItem(screen, await call(getEmitterRoute, { params }), emitterDetails);
  },
});

type Tick = EmitterTicks["ticks"][number];

const tickLine: View<Tick> = {
  nameOf: ({ emit_at: at }) => at,
  columns: {
    TICK: ({ scheduled_for: at }) => at,
    "IN ITS ZONE": ({ local }) => local.replace("T", " "),
    EMITTED: ({ emit_at: at }) => at,
    IN: ({ emit_at: at }) => untilText(at),
  },
};

export const nextTicks = defineList({
  name: "emitter next",
  summary: "Show when an emitter emits next, in words and times.",
  isWhole: true,
  args,
  flags: { count: { value: "N", summary: "How many ticks, at most 100 (default 10)." } },
  examples: [{ does: "Show the next ten ticks.", run: "svc emitter next emt_…" }],
  view: tickLine,
  empty: "It will not emit again.",
  read: async ({ args, flags, call, screen, isWatched }) => {
    const query = { n: readWhole("--count", flags.count) };
    const { text, body } = await call(getEmitterTicksRoute, {
      params: { emitter_id: args.emitter },
      query,
    });
    if (screen.format === "table" && !isWatched) screen.say(body.description);
    return { text, body: { items: body.ticks, next_cursor: null } };
  },
});

/** How long from now, in its two largest units. */
function untilText(instant: string): string {
  const s = Math.max(0, Math.round((Date.parse(instant) - Date.now()) / 1000));
  const [, text = "0s"] = /^((?:\d+[a-z]+){1,2})/.exec(formatDuration(s * secondNs)) ?? [];
  return text;
}
