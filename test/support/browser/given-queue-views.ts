import type { Emitter } from "../../../shared/api/emitter.ts";
import type { Queue } from "../../../shared/api/queue.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import { hostile, type View } from "./view.ts";

/** Queues with signals and emitters, and where pages show them. */
export async function givenQueueViews({ call }: GivenDashboard): Promise<View[]> {
  const name = `installs ${hostile}`.slice(0, 120);
  const queue = await call<Queue>("POST /v1/queues", {
    body: { name, owner_id: "ins_1", owner_type: "install", max_in_flight: 2 },
  });
  const at = `/queues/${queue.body.id}`;
  const signals: string[] = [];
  for (const type of ["work", hostile.slice(0, 60), "work", "work"]) {
    const made = await call<{ id: string }>(`POST /v1${at}/signals`, {
      body: { type, owner_id: hostile.slice(0, 60), max_executions: 1 },
    });
    signals.push(made.body.id);
  }
  const one = { worker: hostile.slice(0, 60), max: 1 };
  await call(`POST /v1${at}/signals/claim`, { body: one });
  const emitter = await call<Emitter>(`POST /v1${at}/emitters`, {
    body: {
      name: `nightly ${hostile}`.slice(0, 100),
      description: hostile,
      mode: "cron",
      cron_schedule: "30 2 * * MON-FRI",
      time_zone: "Europe/Berlin",
      jitter_window: "20m",
      signal_type: "detect-drift",
    },
  });
  const paused = await call<Queue>("POST /v1/queues", { body: { name: "held" } });
  await call(`POST /v1/queues/${paused.body.id}/pause`, { body: { note: hostile } });
  const emits = `/emitters/${emitter.body.id}`;
  const page = "/queues/{queue_id}";
  return [
    { path: "/queues", address: "/queues", has: "installs", whenEmpty: "No queues yet" },
    { path: page, address: at, has: signals[0] ?? "" },
    { path: page, address: `${at}?status=expired`, has: "No signal fits" },
    { path: page, address: `/queues/${paused.body.id}`, has: "Paused" },
    { path: page, address: `${at}/purge`, has: "to confirm" },
    { path: page, address: `${at}/pause`, has: "No signal begins" },
    { path: page, address: `/signals/${signals[3]}/cancel`, has: "cannot be put back" },
    { path: "/emitters", address: "/emitters", has: "at 02:30", whenEmpty: "No emitters yet" },
    { path: "/emitters/{emitter_id}", address: emits, has: "Next ticks" },
    { path: "/emitters/{emitter_id}", address: `${emits}/fire`, has: "detect-drift" },
  ];
}
