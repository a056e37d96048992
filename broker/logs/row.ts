import { z } from "zod";

/**
 * What is known of the numbers (`svc.seq`) of one execution's records: the greatest that came, and the numbers
 * missing below it as [first, last, position of the first].
 */
export const sequence = z.object({
  last: z.number(),
  gaps: z.array(z.tuple([z.number(), z.number(), z.number()])).optional(),
});
export type Sequence = z.infer<typeof sequence>;

/** A row of `log_streams`. */
export const logStreamRow = z.object({
  id: z.string(),
  org_id: z.string(),
  owner_id: z.string(),
  owner_type: z.string(),
  runner_id: z.string().nullable(),
  parent_id: z.string().nullable(),
  attrs: z.record(z.string(), z.string()),
  created_at: z.date(),
  closed_at: z.date().nullable(),
  version: z.number(),
  last_write: z.string(),
  next_position: z.number(),
  records: z.number(),
  bytes: z.number(),
  dropped_records: z.number(),
  dropped_bytes: z.number(),
  dropped_from: z.number().nullable(),
  dropped_before: z.number().nullable(),
  expired_before: z.number().nullable(),
  loose_chunks: z.number(),
  sequences: z.record(z.string(), sequence),
});

/** A stream as find_log_streams answers it: as it is now, with or without a row. Days are `2026-11-21`. */
export type LogStream = Omit<z.infer<typeof logStreamRow>, "closed_at"> & {
  readonly is_open: boolean;
  readonly first_day: string | null;
  readonly last_day: string | null;
};

/** A row of `log_chunks`, without its day. */
export const logChunkRow = z.object({
  org_id: z.string(),
  stream_id: z.string(),
  position: z.number(),
  records: z.number(),
  bytes: z.number(),
  first_at: z.date(),
  last_at: z.date(),
  min_severity: z.number(),
  max_severity: z.number(),
  steps: z.array(z.string()),
  codec: z.enum(["zstd"]),
  body: z.instanceof(Buffer),
  received_at: z.date(),
});
export type LogChunkRow = z.infer<typeof logChunkRow>;
