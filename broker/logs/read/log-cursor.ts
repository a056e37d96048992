import { type Pointer, problem } from "../../../shared/problem.ts";

/** A position as a cursor. */
export function toCursor(position: number): string {
  return String(position);
}

/** The position of a cursor; the beginning without one, 422 for an invalid one. */
export function fromCursor(cursor: string | undefined, pointer: Pointer = "?cursor"): number {
  if (cursor === undefined || cursor === "") return 1;
  if (/^\d{1,15}$/.test(cursor)) return Math.max(1, Number(cursor));
  const detail = "The cursor is invalid. Start again without a cursor.";
  throw problem.invalid([{ pointer, code: "invalid_cursor", detail }]);
}
