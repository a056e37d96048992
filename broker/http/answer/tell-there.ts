import type { AppContext } from "../app-types.ts";
import { setHeader } from "./set-header.ts";

/** Says in a header that nothing was made: what is answered was there, or an earlier request made it. Answers what it is given. */
export function tellThere<Made extends { readonly isNew: boolean }>(
  c: AppContext,
  made: Made,
): Made {
  if (!made.isNew) setHeader(c, "idempotent-replayed", "true");
  return made;
}
