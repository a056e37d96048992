import type { z } from "@hono/zod-openapi";
import { type Nameable, whyReserved } from "../reserved-names.ts";

/** A new thing's name, which is refused where it could not stand for an id in a path. */
export const freeName = (kind: Nameable, shape: z.ZodString): z.ZodString =>
  shape.check((given) => {
    const message = whyReserved(kind, given.value);
    if (message === undefined) return;
    const { issues, value: input } = given;
    issues.push({ code: "custom", message, input, params: { code: "reserved_name" } });
  });
