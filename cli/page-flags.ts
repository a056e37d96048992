import type { FlagSpec } from "./command.ts";

/** The flags of every command that shows a page of a list. */
export const pageFlags = {
  limit: { value: "N", summary: "How many to show, 100 at most; 50 unless told." },
  cursor: { value: "CURSOR", summary: "Go on where the page before ended." },
} as const satisfies Record<string, FlagSpec>;
