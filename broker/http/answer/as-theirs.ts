import { z } from "@hono/zod-openapi";
import { isRunner } from "../../jobs/show-job-to.ts";
import type { AppContext } from "../app-types.ts";
import { namesProblem } from "../gate/names-problem.ts";
import { setHeader } from "./set-header.ts";
import { toTheirsOf } from "./to-theirs-of.ts";

type Content = Readonly<Record<string, { readonly schema?: unknown }>>;
type Answers = Readonly<Record<number, { readonly content?: Content } | undefined>>;

/** What turns what a route answers with a status into theirs, by its schema; undefined where that is the same. */
export function theirsOf({ responses }: { readonly responses: object }) {
  return (status: number) => {
    const schema = (responses as Answers)[status]?.content?.["application/json"]?.schema;
    return schema instanceof z.ZodType ? toTheirsOf(schema) : undefined;
  };
}

/**
 * An answer as its reader can read it: who names problem+json in Accept, as our own programs do, and runners get it as it is; clients that are
 * made of other documents get no null where they read an object, and the words that they know (to-theirs-of.ts).
 */
export function asTheirs<Value>(c: AppContext, value: Value, status: number): Value {
  const change = c.get("toTheirs")?.(status);
  if (change === undefined || c.get("rule").permission === null || isRunner(c.get("actor")))
    return value;
  setHeader(c, "vary", "accept");
  return namesProblem(c) ? value : (change(value) as Value); // the document says which members may be left out
}
