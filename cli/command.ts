import type { Route, RouteAnswer, RouteInput } from "../shared/api/route.ts";
import { type Command as CommandWith, commandDefiner } from "../shared/command-line/command.ts";
import type { Suggestion } from "../shared/command-line/completion.ts";
import type { CliConfig } from "./config.ts";
import type { Connection } from "./connection/connection.ts";
import type { GlobalValues } from "./flags/global-flags.ts";
import type { Screen } from "./output/screen.ts";

/** Calls the broker that the flags, the environment or a profile name. */
export type Caller = <R extends Route>(route: R, input: RouteInput<R>) => Promise<RouteAnswer<R>>;

/** What a command of svc gets besides its arguments and flags. */
export type CommandCall = {
  readonly screen: Screen;
  readonly config: CliConfig;
  /** Where requests go and as whom. */
  readonly connect: () => Promise<Connection>;
  readonly call: Caller;
  /** The runner that a flag names; else that of the profile or of svc dev. A UsageError where there is none. */
  readonly runnerOf: (given: string | undefined) => Promise<string>;
  /** The flags of every command. */
  readonly globals: GlobalValues;
  /** What may come next on a line of these words. */
  readonly suggest: (words: readonly string[]) => Promise<Suggestion>;
};

/** What the table says of a command of svc besides its arguments and flags. */
type Traits = {
  /** It asks no broker: the flags that say which broker do not go with it. */
  readonly isLocal?: true;
  /** It says itself what Ctrl-C does; else that ends the command. */
  readonly ownsInterrupt?: true;
  /** It goes on when nobody reads its output any more; else that ends the command. */
  readonly outlivesReader?: true;
};

/** One command of svc. */
export type Command = CommandWith<Traits, CommandCall>;

/** A command whose arguments and flags have the types that its own description says. */
export const defineCommand = commandDefiner<Traits, CommandCall>();
