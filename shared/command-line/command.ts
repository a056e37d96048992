export type FlagSpec = {
  readonly summary: string;
  /** The value's name, as help shows it; a flag without one is a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly isRequired?: true;
  readonly isRepeatable?: true;
  readonly choices?: readonly string[];
  /** Former names of choices, which are still taken, and what each is called now. */
  readonly formerly?: Readonly<Record<string, string>>;
  /** The kind of ids that completion offers here, as the program names it. */
  readonly offers?: string;
};

export type ArgSpec = {
  readonly summary: string;
  readonly isOptional?: true;
  readonly isRepeatable?: true;
  readonly choices?: readonly string[];
  /** As a flag's. */
  readonly offers?: string;
};

export type ArgSpecs = Readonly<Record<string, ArgSpec>>;
export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

type TextOf<S> = S extends { choices: readonly (infer Choice extends string)[] } ? Choice : string;

/** What a command's arguments are, by their specs. */
export type ArgValues<A extends ArgSpecs> = {
  readonly [N in keyof A]: A[N] extends { isRepeatable: true }
    ? readonly TextOf<A[N]>[]
    : A[N] extends { isOptional: true }
      ? TextOf<A[N]> | undefined
      : TextOf<A[N]>;
};

/** What a command's flags are, by their specs. */
export type FlagValues<F extends FlagSpecs> = {
  readonly [N in keyof F]: F[N] extends { isRepeatable: true }
    ? readonly TextOf<F[N]>[]
    : F[N] extends { value: string; isRequired: true }
      ? TextOf<F[N]>
      : F[N] extends { value: string }
        ? TextOf<F[N]> | undefined
        : boolean;
};

export type Example = { readonly does: string; readonly run: string };

/** One command as its program's table keeps it: parsing, help, completion and docs are made from this. */
export type CommandSpec = {
  /** As it is typed: `job create`. */
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  /** Exit codes of its own, besides those of every command. */
  readonly codes?: readonly (readonly [code: string, means: string])[];
  readonly args: ArgSpecs;
  readonly flags: FlagSpecs;
  readonly examples: readonly Example[];
  /** Left out of help and docs. */
  readonly isHidden?: true;
};

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** What a command line gave: each value is of the kind that its spec says. */
export type Given<Args = Values, Flags = Values> = {
  readonly args: Args;
  readonly flags: Flags;
};

/** A command of a program that describes its commands by Traits too, and calls them with a Context. */
export type Command<Traits, Context> = CommandSpec &
  Traits & {
    /** Answers the exit code; 0 when it answers nothing. */
    run(call: Context & Given): Promise<number | void>;
  };

type Definition<A extends ArgSpecs, F extends FlagSpecs, Context> = Omit<
  CommandSpec,
  "args" | "flags" | "examples"
> & {
  readonly args?: A;
  readonly flags?: F;
  readonly examples?: readonly Example[];
  readonly run: (call: Context & Given<ArgValues<A>, FlagValues<F>>) => Promise<number | void>;
};

export type NoSpecs = Readonly<Record<string, never>>;

/** Makes a program's `defineCommand`: arguments and flags get the types that a command's own description says. */
export function commandDefiner<Traits, Context>() {
  return <const A extends ArgSpecs = NoSpecs, const F extends FlagSpecs = NoSpecs>(
    definition: Definition<A, F, Context> & Traits,
  ): Command<Traits, Context> => ({
    ...definition,
    args: definition.args ?? {},
    flags: definition.flags ?? {},
    examples: definition.examples ?? [],
  });
}
