import type { AgentContext } from "../agent-context.ts";
import type { OrderDispatcher } from "../orders/order-dispatcher.ts";
import type { Registration } from "../register/registration.ts";
import type { SettingsCache } from "../register/settings-cache.ts";
import type { ShutdownState } from "../shutdown/shutdown-state.ts";
import type { DiskSpace } from "../workspace/disk-space.ts";

/** What the loops share besides the agent's parts. */
export type LoopContext = {
  readonly agent: AgentContext;
  readonly shutdown: ShutdownState;
  readonly registration: Registration;
  readonly settings: SettingsCache;
  readonly orders: OrderDispatcher;
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
  /** A claim is parked at the broker, as far as is known: the broker heard of this process when it came. */
  isParked: boolean;
  /** Requests under way that may bring jobs or give them back. */
  unsettled: number;
  /** Why nothing is claimed at present. */
  notClaiming: string | undefined;
  /** The same as a number, for health checks; 0 while jobs are claimed. */
  notClaimingCode: number;
  /** Where jobs need room, and what there was when it was last looked at. */
  places: readonly DiskSpace[];
};
