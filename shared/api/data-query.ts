import { z } from "@hono/zod-openapi";

/** Lets a caller who may read data do without it: what shows none is not told by the audit log. */
export function dataQuery(members: string) {
  return z
    .enum(["true", "false"])
    .optional()
    .describe(
      `\`false\` leaves out \`${members}\`, which may hold secrets; such a read is not recorded in the audit log.`,
    );
}
