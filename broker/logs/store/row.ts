import { z } from "zod";

const gap = z.tuple([z.number(), z.number(), z.number()]);
/** Missing numbers: the first, the last, and the position that is reserved for the first. */
export type Gap = z.infer<typeof gap>;

/**
 * The state of the numbers (`svc.seq`) of one execution's records: the greatest received, what is missing below
 * it and, when that is much, how many more are missing up to a number; those gaps are pages in rows of their own.
 * In a stream with several executions, `used` is the stream's position when this one wrote last.
 */
export const sequence = z.object({
  last: z.number(),
  gaps: z.array(gap).optional(),
  away: z.object({ upto: z.number(), missing: z.number() }).optional(),
  used: z.number().optional(),
});
export type Sequence = z.infer<typeof sequence>;

/** A row of `log_sequences`, without its stream: an execution's sequence (`first` 0), or a page of its gaps. */
export const logSequenceRow = z.object({
  execution_id: z.string(),
  first: z.number(),
  part: z.unknown(),
});
export type LogSequenceRow = z.infer<typeof logSequenceRow>;

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

/** A stream as find_log_streams returns it: its present state, with or without a row. Days are `2026-11-21`. */
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

/** The id of a job's or a process's log stream: its owner's, with another prefix. As log_stream_of in SQL. */
export function logStreamOf(ownerId: string): string {
  return `lgs_${ownerId.slice(4)}`;
}
