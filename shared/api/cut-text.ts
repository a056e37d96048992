import { z } from "@hono/zod-openapi";

/** How much of a status's description is kept, of jobs and of executions. */
export const mostStatusDescription = 16_384;

/** A text that is cut at its limit rather than refused: what a runner says must count, however much it has to say. */
export function cutText(most: number) {
  return z
    .string()
    .transform((given) => cut(given, most))
    .openapi({ type: "string" });
}

/** Never between the two halves of a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const isSplit = (text.codePointAt(most - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isSplit ? most - 1 : most);
}
