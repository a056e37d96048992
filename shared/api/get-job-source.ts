import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { digits } from "./digits.ts";
import { json } from "./response.ts";

const sourcePart = z
  .object({
    digest: z.string().describe("Of the whole archive."),
    size_bytes: z.int().describe("Of the whole archive."),
    parts: z.int().describe("How many there are."),
    part: z.int().describe("Which one this is, from 0."),
    contents: z.string().describe("Base64 of its bytes: a mebibyte, but for the last part."),
  })
  .openapi("JobSourcePart");
export type SourcePart = z.infer<typeof sourcePart>;

export const getJobSourceRoute = createRoute("getJobSource", {
  get: "/v1/runner-jobs/{job_id}/source",
  rule: { surface: "runner", permission: "plans.secrets", ownRunner: true },
  tags: ["Jobs"],
  summary: "Read a part of what a job builds from",
  description:
    "Where its plan says `source.archive.blob`: a folder of the config's own directory, as a tar archive in parts of a mebibyte. As with its plan, only the process that runs the job reads it, and only while it runs: 404 `source_not_found` else.",
  query: z.object({ part: digits(0).optional().describe("Which part; the first unless given.") }),
  responses: { 200: json(sourcePart, "The part.") },
});
