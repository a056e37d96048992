import type { Metrics } from "../metrics.ts";

/** Counts the answers of one method and route. */
export type CountAnswer = (status: number, durationMs: number) => void;

/** Counts requests by method, route template and status, and how long they took. */
export type HttpMetrics = { readonly of: (method: string, route: string) => CountAnswer };

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Registers the two families. */
export function createHttpMetrics(metrics: Metrics): HttpMetrics {
  const requests = metrics.counter("svc_http_requests_total", "Requests answered.");
  const seconds = metrics.histogram(
    "svc_http_request_seconds",
    "Time from request to answer.",
    bounds,
  );
  return {
    of(method, route) {
      const byStatus = new Map<number, () => void>();
      let time: ((value: number) => void) | undefined; // a route that nobody asked has no series
      return (status, durationMs) => {
        let count = byStatus.get(status);
        if (count === undefined) {
          count = requests.labelled({ method, route, status: String(status) });
          byStatus.set(status, count);
        }
        count();
        time ??= seconds.labelled({ method, route });
        time(durationMs / 1000);
      };
    },
  };
}
