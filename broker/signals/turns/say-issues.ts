import type { z } from "zod";

/** What is wrong with contents, by their members; the values are not repeated, for they may be secret. */
export function sayIssues({ issues }: z.ZodError): string {
  return issues
    .slice(0, mostTold)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}

const mostTold = 5;
