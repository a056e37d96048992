import type { AppContext } from "../app-types.ts";

/** Does it when the request's connection is done with it: at once, where it already is, for that is told only once. */
export function onClose(c: AppContext, act: () => void): void {
  const { outgoing } = c.env ?? {};
  if (outgoing?.closed === true) act();
  else outgoing?.once("close", act);
}
