import type { z } from "zod";
import type { pauseSchema } from "../../shared/api/pause.ts";
import type { RunnerGroupRow } from "../runner-groups/row.ts";

type Paused = Pick<RunnerGroupRow, "paused_at" | "paused_until" | "paused_note" | "paused_by_id">;

/** A pause as the API shows it; null when there is none. */
export function toPause(row: Paused): z.infer<typeof pauseSchema> | null {
  if (row.paused_at === null) return null;
  return {
    at: row.paused_at.toISOString(),
    until: row.paused_until?.toISOString() ?? null,
    note: row.paused_note ?? "",
    by_id: row.paused_by_id ?? "",
  };
}
