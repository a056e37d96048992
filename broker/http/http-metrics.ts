import type { Metrics } from "../metrics.ts";

/** Counts requests by method, route template and status, and how long they took. */
export type HttpMetrics = {
  readonly count: (method: string, route: string, status: number, durationMs: number) => void;
};

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Registers the two families; labels are built once for each combination. */
export function createHttpMetrics(metrics: Metrics): HttpMetrics {
  const requests = metrics.counter("svc_http_requests_total", "Requests answered.");
  const seconds = metrics.histogram("svc_http_request_seconds", "Time to the answer.", bounds);
  const labels = new Map<
    string,
    { counted: Record<string, string>; timed: Record<string, string> }
  >();
  return {
    count(method, route, status, durationMs) {
      const key = `${method} ${route} ${status}`;
      const known = labels.get(key) ?? {
        counted: { method, route, status: String(status) },
        timed: { method, route },
      };
      labels.set(key, known);
      requests.add(known.counted);
      seconds.observe(durationMs / 1000, known.timed);
    },
  };
}
