import type { Broker } from "../broker.ts";
import type { App, AppContext } from "../http/app-types.ts";
import { makeAsk } from "./make-ask.ts";
import type { View } from "./page.ts";
import type { Reader } from "./session/find-reader.ts";

/** What a page has to work with, for one request. */
export function makeView(
  c: AppContext,
  { app, broker }: { readonly app: App; readonly broker: Broker },
  reader: Reader,
): View {
  const { actor } = reader;
  const url = new URL(c.req.url);
  return {
    actor,
    address: url.pathname + url.search,
    path: url.pathname,
    query: url.searchParams,
    param: (name) => c.req.param(name) ?? "",
    can: (permission) => actor.permissions.has(permission),
    ask: makeAsk(app, reader, c.get("requestId")),
    nowMs: broker.clock.now().getTime(),
  };
}

/** A view that does not tell who asks: what is made of it is shown to others, too. */
export function unnamed(view: View): View {
  return {
    ...view,
    get actor(): never {
      throw new Error("a page that is shared asked who reads it");
    },
  };
}
