import type { AppContext } from "../app-types.ts";

/** Runs it when the request's connection has closed; at once when it already has, because the event comes only once. */
export function onClose(c: AppContext, act: () => void): void {
  const { outgoing } = c.env ?? {};
  if (outgoing?.closed === true) act();
  else outgoing?.once("close", act);
}
