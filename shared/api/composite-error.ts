import { z } from "@hono/zod-openapi";
import { boundMembers } from "./bound-members.ts";

const members = {
  code: z
    .string()
    .describe(
      "If the broker ended the job, a code for programs: `job_timed_out` or `process_lost`, of the codes of CompositeErrorData.",
    ),
  severity: z.string().describe("If the broker ended the job: `error`."),
  type: z.string().describe("The error type for programs, such as `terraform.state_lock`."),
  title: z.string(),
  detail: z.string(),
  retryable: z.boolean().describe("Whether a retry may succeed."),
  truncated: z.boolean().describe("Whether the error was shortened."),
};

/** Why a job did not finish, for programs: a few members that all have, and those of its type. */
export const compositeErrorSchema = z
  .looseObject(members)
  .partial()
  .openapi("CompositeError", {
    description:
      "Named by the job's handler, or by the broker: `runner.lost`, `runner.forced`, `runner.execution_timeout`, " +
      "`runner.overall_timeout`.",
  });

/** As a runner sends it; the broker cuts what is too large: an error is shown wherever its job is. */
export const compositeErrorInput = z
  .record(z.string(), z.unknown())
  .transform((given) =>
    boundMembers<unknown>(given, {
      mostBytes: 16 * 1024,
      kept: ["type", "title", "detail", "retryable"],
      truncated: true,
    }),
  )
  .openapi({
    type: ["object", "null"],
    description:
      "If it is over 16 KiB of JSON, it is shortened and `truncated` is set: texts to 1,000 characters, lists to 20 and objects to 50 members; if that is not enough, only `type`, `title`, `detail` and `retryable` remain.",
  });

/** Words about an error, by name; cut likewise. */
export const errorMetadataInput = z
  .record(z.string(), z.string())
  .transform((given) =>
    boundMembers(given, {
      mostBytes: 64 * 1024,
      kept: ["reason", "class", "message"],
      truncated: "true",
    }),
  )
  .openapi({
    type: ["object", "null"],
    additionalProperties: { type: "string" },
    description:
      "If it is over 64 KiB of JSON, it is shortened and `truncated` is set: texts to 1,000 characters, objects to 50 members; if that is not enough, only `reason`, `class` and `message` remain.",
  });
