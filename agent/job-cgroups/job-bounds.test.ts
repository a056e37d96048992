import { expect, test } from "vitest";
import { boundsOf } from "./job-bounds.ts";

test("jobs that build images are bounded where no setting bounds jobs; others are not", () => {
  const none = { jobMemoryMax: undefined, jobPidsMax: undefined };
  expect(boundsOf(none, "actions-workflow", 1_000)).toEqual(none);
  expect(boundsOf(none, "docker-build", 1_000)).toEqual({ jobMemoryMax: 800, jobPidsMax: 4_096 });
  const set = { jobMemoryMax: 5, jobPidsMax: 6 };
  for (const type of ["actions-workflow", "docker-build"])
    expect(boundsOf(set, type, 1_000)).toEqual(set);
});
