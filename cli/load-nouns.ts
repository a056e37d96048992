import type { CommandGroup } from "../shared/command-line/program.ts";
import type { Command } from "./command.ts";
import { nounGroups } from "./nouns.ts";
import outline from "./outline.json" with { type: "json" };

/** Every first word of a command, in the order of help. */
export const nouns: readonly string[] = nounGroups.flatMap((group) => Object.keys(group.nouns));

/** All commands by groups: those of the nouns that are asked for whole, of the others the names and summaries. */
export async function loadNouns(asked: readonly string[]): Promise<CommandGroup<Command>[]> {
  const groups = nounGroups.map(async ({ title, nouns: its }) => {
    const commands = Object.entries(its).map(async ([noun, load]) =>
      asked.includes(noun) ? await load() : (outlined.get(noun) ?? []),
    );
    return { title, commands: (await Promise.all(commands)).flat() };
  });
  return await Promise.all(groups);
}

type Outlined = Pick<Command, "name" | "summary"> & { readonly isHidden?: boolean };

const outlined = new Map(
  Object.entries<readonly Outlined[]>(outline).map(([noun, its]) => [noun, its.map(withoutRest)]),
);

/** Who runs it has forgotten to load its noun. */
function withoutRest({ name, summary, isHidden }: Outlined): Command {
  return {
    name,
    summary,
    args: {},
    flags: {},
    examples: [],
    ...(isHidden === true && { isHidden }),
    run: async () => await Promise.reject(new Error(`svc ${name} is not loaded.`)),
  };
}
