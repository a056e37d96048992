import type { Route, RouteAnswer, RouteInput } from "../shared/api/call-route.ts";
import type { CliConfig } from "./config.ts";
import type { Connection } from "./connection.ts";
import type { Screen } from "./screen.ts";

export type FlagSpec = {
  readonly summary: string;
  /** What the value is, as help shows it; a flag without one is a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly isRequired?: true;
  readonly isRepeatable?: true;
  readonly choices?: readonly string[];
};

export type ArgSpec = {
  readonly summary: string;
  readonly isOptional?: true;
  readonly isRepeatable?: true;
  /** Whose ids the shell may offer here. */
  readonly offers?: "runners" | "jobs";
};

type ArgSpecs = Readonly<Record<string, ArgSpec>>;
type FlagSpecs = Readonly<Record<string, FlagSpec>>;

type ArgValues<A extends ArgSpecs> = {
  readonly [N in keyof A]: A[N] extends { isRepeatable: true }
    ? readonly string[]
    : A[N] extends { isOptional: true }
      ? string | undefined
      : string;
};

type FlagText<F extends FlagSpec> = F extends { choices: readonly (infer Choice extends string)[] }
  ? Choice
  : string;

type FlagValues<F extends FlagSpecs> = {
  readonly [N in keyof F]: F[N] extends { isRepeatable: true }
    ? readonly FlagText<F[N]>[]
    : F[N] extends { value: string; isRequired: true }
      ? FlagText<F[N]>
      : F[N] extends { value: string }
        ? FlagText<F[N]> | undefined
        : boolean;
};

/** Calls the broker that the flags, the environment or a profile name. */
export type Caller = <R extends Route>(route: R, input: RouteInput<R>) => Promise<RouteAnswer<R>>;

/** All that a command gets. */
export type CommandCall<Args, Flags> = {
  readonly args: Args;
  readonly flags: Flags;
  readonly screen: Screen;
  readonly config: CliConfig;
  /** Where requests go and as whom. */
  readonly connect: () => Promise<Connection>;
  readonly call: Caller;
};

export type Example = { readonly does: string; readonly run: string };

/** One command as the table keeps it: help, completion, parsing and docs/cli.md are made from this. */
export type Command = {
  /** As it is typed: `job create`. */
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  /** What its exit codes say, where that is more than those of every command do. */
  readonly codes?: readonly (readonly [code: string, means: string])[];
  readonly args: ArgSpecs;
  readonly flags: FlagSpecs;
  readonly examples: readonly Example[];
  /** It asks no broker: the flags that say which broker do not go with it. */
  readonly isLocal?: true;
  /** It says itself what Ctrl-C does; else that ends the command. */
  readonly ownsInterrupt?: true;
  /** It goes on when nobody reads its output any more; else that ends the command. */
  readonly outlivesReader?: true;
  /** Left out of help and documents. */
  readonly isHidden?: true;
  /** Answers the exit code; 0 when it answers nothing. */
  run(call: CommandCall<Values, Values>): Promise<number | void>;
};

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

type Definition<A extends ArgSpecs, F extends FlagSpecs> = Omit<
  Command,
  "args" | "flags" | "run"
> & {
  readonly args?: A;
  readonly flags?: F;
  readonly run: (call: CommandCall<ArgValues<A>, FlagValues<F>>) => Promise<number | void>;
};

/** A command whose arguments and flags have the types that its own description says. */
export function defineCommand<
  const A extends ArgSpecs = Readonly<Record<string, never>>,
  const F extends FlagSpecs = Readonly<Record<string, never>>,
>(definition: Definition<A, F>): Command {
  const { run, args, flags, ...rest } = definition;
  return { ...rest, args: args ?? {}, flags: flags ?? {}, run };
}
