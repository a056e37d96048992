import { z } from "@hono/zod-openapi";
import { buildStatuses } from "../build-statuses.ts";
import { flag, instant, json as stored, made, orNull, text, word } from "../resources/members.ts";
import { compositeFaultSchema } from "./composite-fault.ts";
import { compositeStatusSchema } from "./composite-status.ts";

const artifact = z
  .object({
    repository: z.string(),
    tag: z.string(),
    digest: z.string(),
    media_type: z.string(),
    size: z.int(),
  })
  .openapi("BuildArtifact")
  .optional();

/** What every build has, whatever it is of. */
export const buildMembers = {
  status: word(buildStatuses),
  status_description: text(),
  status_v2: stored(compositeStatusSchema),
  composite_error: stored(compositeFaultSchema.optional()),
  git_ref: text("The branch, tag or commit that was asked for; empty: the config's."),
  checksum: text("Of what the config says of it."),
  config_folder: flag(
    "It is built from a folder of the config's own directory, and from no repository.",
  ),
  source_ref: text("The commit that was built; of a folder beside the config its digest."),
  source_checksum: text("Of the files that were built."),
  no_op: flag("The artifact is that of the build before: nothing has changed."),
  artifact: stored(
    artifact,
    "What was built; deploys take it by its digest. Left out before the build is active, and where it has none.",
  ),
  workflow_id: text(),
  workflow_step_id: orNull(text()),
  build_runner_job_id: text("Empty before there is one."),
  log_stream_id: orNull(text(), "Of its job."),
  started_at: orNull(instant()),
  finished_at: orNull(instant()),
  expires_at: orNull(
    instant(),
    "Nothing needs it: it is deleted then, unless something comes to need it.",
  ),
  created_at: made.created_at,
  updated_at: instant("When its status changed last."),
  created_by_id: made.created_by_id,
};
