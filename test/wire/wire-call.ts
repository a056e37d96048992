import type { GivenWire, Ids } from "./given-wire.ts";

type Of<T> = T | Promise<T>;

/** How an operation is called that is no plain read: of which things, made for it, and with what. */
export type WireCall = {
  /** It is not called: its answer never ends. */
  readonly skips?: true;
  /** Sent as it is. */
  readonly text?: () => string;
  /** Whose token, where not an admin's or a runner's. */
  readonly token?: (given: GivenWire) => Promise<string>;
  readonly ids?: (given: GivenWire) => Of<Ids>;
  readonly body?: (given: GivenWire, ids: Ids) => Of<object>;
  readonly query?: (given: GivenWire, ids: Ids) => string;
};
