import { describe, expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

describe("metrics", () => {
  test("are shown in the text format", () => {
    const metrics = createMetrics();
    const jobs = metrics.counter("svc_jobs_total", "Jobs ended.");
    jobs.add({ result: "finished" });
    jobs.labelled({ result: "finished" })();
    jobs.add({ result: 'a "b"\\\n' }, 3);
    metrics.gauge("svc_runners", "Runners.", () => [[{ status: "active" }, 2]]);
    metrics.gauge("svc_lag_seconds", "Lag.", () => 0.5);
    expect(metrics.text().split("\n")).toEqual([
      "# HELP svc_jobs_total Jobs ended.",
      "# TYPE svc_jobs_total counter",
      'svc_jobs_total{result="finished"} 2',
      String.raw`svc_jobs_total{result="a \"b\"\\\n"} 3`,
      "# HELP svc_runners Runners.",
      "# TYPE svc_runners gauge",
      'svc_runners{status="active"} 2',
      "# HELP svc_lag_seconds Lag.",
      "# TYPE svc_lag_seconds gauge",
      "svc_lag_seconds 0.5",
      "",
    ]);
  });

  test("count into buckets that hold all smaller ones", () => {
    const metrics = createMetrics();
    const seconds = metrics.histogram("svc_seconds", "Time.", [0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 5]) seconds.observe(value);
    seconds.labelled({ group: "deploy" })(1);
    expect(metrics.text()).toContain(
      [
        'svc_seconds_bucket{le="0.1"} 2',
        'svc_seconds_bucket{le="1"} 3',
        'svc_seconds_bucket{le="+Inf"} 4',
        "svc_seconds_sum 5.65",
        "svc_seconds_count 4",
        'svc_seconds_bucket{group="deploy",le="0.1"} 0',
        'svc_seconds_bucket{group="deploy",le="1"} 1',
      ].join("\n"),
    );
  });

  test("have one name each", () => {
    const metrics = createMetrics();
    metrics.counter("svc_x", "X.");
    expect(() => metrics.counter("svc_x", "X.")).toThrow("registered twice");
  });
});
