import type { Durations } from "../jobs/job-metrics.ts";
import type { LoopContext } from "../loops/loop-context.ts";
import { statusOf } from "./agent-status.ts";

type Row = {
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly help: string;
  /** The labels, and the suffix of the name, where a metric has several values. */
  readonly read: (
    parts: LoopContext,
  ) => number | readonly (readonly [labels: string, value: number])[];
};

/** Every metric of the agent; docs/agent-reference.md lists them. */
export const agentMetrics: readonly Row[] = [
  {
    name: "svc_agent_up",
    type: "gauge",
    help: "1 while the agent takes jobs, 0 while it does not.",
    read: (parts) => (statusOf(parts).is_ready ? 1 : 0),
  },
  {
    name: "svc_agent_slots",
    type: "gauge",
    help: "Maximum number of parallel jobs of a group.",
    read: (parts) => bySlots(parts, "slots"),
  },
  {
    name: "svc_agent_slots_in_use",
    type: "gauge",
    help: "Running jobs of a group.",
    read: (parts) => bySlots(parts, "in_use"),
  },
  {
    name: "svc_agent_jobs_claimed_total",
    type: "counter",
    help: "Jobs that the agent claimed.",
    read: ({ figures }) => figures.claimedJobs,
  },
  {
    name: "svc_agent_jobs_given_back_total",
    type: "counter",
    help: "Jobs that the agent gave back before starting them.",
    read: ({ figures }) => figures.givenBack,
  },
  {
    name: "svc_agent_jobs_ended_total",
    type: "counter",
    help: "Jobs that ended, by type and reported status.",
    read: ({ agent }) =>
      agent.jobMetrics
        .counts()
        .map(({ type, status, count }) => [`{type="${type}",end="${status}"}`, count] as const),
  },
  {
    name: "svc_agent_job_duration_seconds",
    type: "histogram",
    help: "Duration of jobs from claim to end, by type.",
    read: ({ agent }) => agent.jobMetrics.durations().flatMap(durationRows),
  },
  {
    name: "svc_agent_results_delivered_total",
    type: "counter",
    help: "Results that were delivered to the broker.",
    read: ({ figures }) => figures.delivered,
  },
  {
    name: "svc_agent_results_refused_total",
    type: "counter",
    help: "Results that the broker refused.",
    read: ({ figures }) => figures.refusedResults,
  },
  {
    name: "svc_agent_results_waiting",
    type: "gauge",
    help: "Results on disk that are not delivered yet.",
    read: ({ agent }) => agent.results.list().length,
  },
  {
    name: "svc_agent_log_waiting_bytes",
    type: "gauge",
    help: "Logs on disk that are not sent yet.",
    read: ({ agent }) => agent.logSpools.waitingBytes(),
  },
  {
    name: "svc_agent_disk_free_bytes",
    type: "gauge",
    help: "Free space on the file systems of the data, work and run directories, when last measured.",
    read: ({ figures }) => figures.places.map(({ name, bytes }) => [`{place="${name}"}`, bytes]),
  },
  {
    name: "svc_agent_disk_free_files",
    type: "gauge",
    help: "Free inodes on these file systems; +Inf where they are not counted.",
    read: ({ figures }) => figures.places.map(({ name, files }) => [`{place="${name}"}`, files]),
  },
  {
    name: "svc_agent_requests_total",
    type: "counter",
    help: "Requests to the broker, by outcome.",
    read: ({ agent }) =>
      Object.entries(agent.client.figures).map(
        ([end, count]) => [`{end="${end}"}`, count] as const,
      ),
  },
  {
    name: "svc_agent_loop_restarts_total",
    type: "counter",
    help: "How often a loop failed and was restarted.",
    read: ({ agent }) =>
      agent.health().map(({ name, restarts }) => [`{loop="${name}"}`, restarts] as const),
  },
  {
    name: "svc_agent_broker_silent_seconds",
    type: "gauge",
    help: "Time since the broker last answered.",
    read: (parts) => statusOf(parts).silent_s ?? 0,
  },
  {
    name: "svc_agent_clock_ahead_seconds",
    type: "gauge",
    help: "How far this host's clock is ahead of the broker's.",
    read: ({ agent }) => agent.client.clock.skewMs() / 1000,
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Memory of the agent itself.",
    read: () => process.memoryUsage.rss(),
  },
  {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "CPU time of the agent itself.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  },
];

/** What /metrics answers, in the Prometheus text format. */
export function metricsText(parts: LoopContext): string {
  const lines = agentMetrics.flatMap(({ name, type, help, read }) => {
    const value = read(parts);
    const all = typeof value === "number" ? [["", value] as const] : value;
    const values = all.map(([labels, one]) => `${name}${labels} ${numeral(one)}`);
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values];
  });
  return `${lines.join("\n")}\n`;
}

const numeral = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : String(value);

function durationRows({
  type,
  sum,
  count,
  atMost,
}: Durations): readonly (readonly [string, number])[] {
  const of = `type="${type}"`;
  return [
    ...atMost.map(([bound, most]) => [`_bucket{${of},le="${bound}"}`, most] as const),
    [`_bucket{${of},le="+Inf"}`, count],
    [`_sum{${of}}`, sum],
    [`_count{${of}}`, count],
  ];
}

function bySlots(
  parts: LoopContext,
  member: "slots" | "in_use",
): readonly (readonly [string, number])[] {
  const { groups } = statusOf(parts);
  return Object.entries(groups).map(([group, of]) => [`{group="${group}"}`, of[member]] as const);
}
