import { expect, test } from "vitest";
import { claimJobsRoute } from "./poll-jobs.ts";

test("a claim of tens of thousands of unknown groups is told of the first hundred, and judged no further", () => {
  const schema = claimJobsRoute.request.body.content["application/json"].schema;
  const names = Array.from({ length: 60_000 }, (_, at) => [`group-${at}`, 1]);
  const claim = {
    process_id: "prc_1",
    groups: Object.fromEntries(names) as Record<string, number>,
  };

  expect(schema.safeParse(claim).error?.issues).toHaveLength(100);
});
