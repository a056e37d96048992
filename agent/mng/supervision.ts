import type { AgentConfig } from "../config/read-config.ts";
import type { Log } from "../log.ts";
import type { Driver } from "./driver.ts";
import type { Journal } from "./journal.ts";
import type { Keeper } from "./keeper.ts";
import type { BrokerLink } from "./management.ts";

/** What looks after the install agent, and with what. */
export type SupervisorSpec = {
  readonly config: AgentConfig;
  readonly driver: Driver;
  readonly journal: Journal;
  readonly log: Log;
};

/** What the parts of a supervisor share. */
export type Supervision = SupervisorSpec & {
  readonly keeper: Keeper;
  /** Undefined until a broker has registered this process. */
  readonly link: () => BrokerLink | undefined;
  /** Tells the log, and the job that asked. */
  readonly say: (key: string, words: string) => void;
  /** The signal of the job that asked. */
  readonly signalOf: (key: string) => AbortSignal | undefined;
};
