import type { CommandSpec, FlagSpecs, Given } from "./command.ts";

/** Commands that help and docs show under one title. */
export type CommandGroup<C extends CommandSpec> = {
  readonly title: string;
  readonly commands: readonly C[];
};

export type FlagGroup = {
  readonly title: string;
  readonly flags: FlagSpecs;
  /** What the docs say of them under each command, where their table stands elsewhere. */
  readonly reference?: string;
};

export type ExitCode = { readonly code: number; readonly means: string };

/** Words for a person, and the exit code that scripts go by. */
export type Explained = { readonly code: number; readonly words: readonly string[] };

/** A program with its one table of commands. */
export type Program<C extends CommandSpec = CommandSpec> = {
  readonly name: string;
  readonly summary: string;
  readonly groups: readonly CommandGroup<C>[];
  /** What to type for a noun that has no commands. */
  readonly hints?: Readonly<Record<string, string>>;
  /** The last lines of its help: where to start. */
  readonly footer: string;
  readonly exitCodes: readonly ExitCode[];
  /** The exit code of a wrong command line. */
  readonly usageCode: number;
  /** The flags that a command has besides its own. */
  sharedFlags(command: C): readonly FlagGroup[];
  run(command: C, given: Given): Promise<number | void>;
  /** What to say of anything but a wrong command line. */
  explain(error: unknown): Explained;
  /** Has what it says of a fault name commands as they are typed here. */
  asTyped?(words: string): string;
};

/** Every program's commands have this one. */
export const helpFlag = { help: { short: "h", summary: "Show help." } } as const;

/** All commands of a program, in the order of its help. */
export function commandsOf<C extends CommandSpec>({ groups }: Pick<Program<C>, "groups">): C[] {
  return groups.flatMap(({ commands }) => commands);
}

/** Every flag that a command takes. */
export function flagsOf<C extends CommandSpec>(program: Program<C>, command: C): FlagSpecs {
  const shared = program.sharedFlags(command).map(({ flags }) => flags);
  return Object.assign({}, helpFlag, ...shared, command.flags) as FlagSpecs; // each is one
}
