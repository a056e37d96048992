import { expect, test } from "vitest";
import { runnerJobTypeNames } from "../../shared/runner-job-types.ts";
import { workOf } from "./handler-registry.ts";
import { JobFailure } from "./job-failure.ts";

function reasonFor(type: string): string | undefined {
  const info = {
    id: "job_1",
    runner_id: "run_1",
    type,
    group: "deploy",
    operation: "exec",
    log_stream_id: null,
    metadata: {},
    execution_count: 1,
  };
  try {
    workOf(info, {});
    return undefined;
  } catch (error) {
    return error instanceof JobFailure ? `${error.reason}: ${error.message}` : String(error);
  }
}

test("every kind of job is known; one of a later version fails by its name", () => {
  const unknown = runnerJobTypeNames.filter((type) => reasonFor(type)?.includes("unknown_type"));
  expect(unknown).toEqual([]);
  expect(reasonFor("later")).toBe("unknown_type: Unknown job type later.");
});
