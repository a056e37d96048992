import { bootId } from "./host-boot.ts";
import type { Operation } from "./journal.ts";

type Wish = Pick<Operation, "key" | "kind" | "from" | "to" | "drain_until_ms">;

/** An operation that has done nothing yet. */
export function newOperation(wish: Wish): Operation {
  const step = wish.kind === "update" ? "prepare" : "drain";
  return { ...wish, step, former: "", why: "", boot: bootId() };
}
