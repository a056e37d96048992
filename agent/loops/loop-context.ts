import type { AgentContext } from "../agent-context.ts";
import type { OrderDispatcher } from "../orders/order-dispatcher.ts";
import type { Registration } from "../register/registration.ts";
import type { SettingsCache } from "../register/settings-cache.ts";
import type { ShutdownState } from "../shutdown/shutdown-state.ts";
import type { DiskSpace } from "../workspace/disk-space.ts";
import type { NextPoll } from "./next-poll.ts";

/** What the loops share, in addition to the agent's context. */
export type LoopContext = {
  readonly agent: AgentContext;
  readonly shutdown: ShutdownState;
  readonly registration: Registration;
  readonly settings: SettingsCache;
  readonly orders: OrderDispatcher;
  readonly figures: LoopFigures;
  readonly nextPoll: NextPoll;
  /** The number of jobs after which no more are claimed. */
  readonly mostJobs: number;
};

/** Counters and gauges of the loops. */
export type LoopFigures = {
  claims: number;
  claimedJobs: number;
  givenBack: number;
  beats: number;
  delivered: number;
  refusedResults: number;
  /** Whether a claim is parked at the broker. Its arrival counts as a sign of life. */
  isParked: boolean;
  /** Open requests that may claim jobs or give them back. */
  unsettled: number;
  /** Why no jobs are claimed now. */
  notClaiming: string | undefined;
  /** The same as an error code for health checks; 0 while jobs are claimed. */
  notClaimingCode: number;
  /** The file systems that jobs need, and their free space when it was last read. */
  places: readonly DiskSpace[];
};
