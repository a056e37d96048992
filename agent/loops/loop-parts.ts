import type { Departure } from "../going-down/departure.ts";
import type { OrderBook } from "../orders/order-book.ts";
import type { AgentParts } from "../parts.ts";
import type { Registration } from "../register/registration.ts";
import type { SettingsBook } from "../register/settings-book.ts";
import type { Place } from "../workspace/needed-room.ts";

/** What the loops share besides the agent's parts. */
export type LoopParts = {
  readonly agent: AgentParts;
  readonly departure: Departure;
  readonly registration: Registration;
  readonly settings: SettingsBook;
  readonly orders: OrderBook;
  readonly figures: LoopFigures;
  /** So many jobs are taken, and no more. */
  readonly mostJobs: number;
};

/** What the loops count. */
export type LoopFigures = {
  claims: number;
  claimedJobs: number;
  givenBack: number;
  beats: number;
  delivered: number;
  refusedResults: number;
  /** Requests under way that may bring jobs or give them back. */
  unsettled: number;
  /** Why nothing is claimed at present. */
  notClaiming: string | undefined;
  /** Where jobs need room, and what there was when it was last looked at. */
  places: readonly Place[];
};
