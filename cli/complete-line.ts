import { listJobsRoute } from "../shared/api/read-runner-jobs.ts";
import { listRunnersRoute } from "../shared/api/runners.ts";
import { type Caller, type Command, defineCommand } from "./command.ts";
import { completionScript, shells, suggest } from "./completion.ts";
import { UsageError } from "./usage-error.ts";

export const showCompletion = defineCommand({
  name: "completion",
  summary: "Print a script that completes commands, flags and ids in a shell.",
  isLocal: true,
  args: { shell: { summary: `One of ${shells.join(", ")}.` } },
  examples: [
    { does: "in bash, for this session", run: "source <(svc completion bash)" },
    { does: "in fish, for good", run: "svc completion fish > ~/.config/fish/completions/svc.fish" },
  ],
  run: async ({ args, screen }) => {
    const shell = shells.find((known) => known === args.shell);
    if (shell === undefined) throw new UsageError(`Give one of ${shells.join(", ")}.`);
    screen.asIs.out(completionScript(shell));
    return await Promise.resolve();
  },
});

/** What the shells' scripts ask at every Tab. It gets the table, because it is itself in it. */
export function completeLine(listed: () => readonly Command[]): Command {
  return defineCommand({
    name: "completion suggest",
    summary: "List what can come next on a command line.",
    isHidden: true,
    args: { words: { summary: "The words so far.", isRepeatable: true, isOptional: true } },
    examples: [],
    run: async ({ args, call, screen }) => {
      const { words, offers } = suggest(args.words, listed());
      const typed = args.words.at(-1) ?? "";
      const ids = offers === undefined ? [] : await listIds(call, offers);
      for (const word of [...words, ...ids]) if (word.startsWith(typed)) screen.out(word);
    },
  });
}

async function listIds(call: Caller, of: "runners" | "jobs"): Promise<string[]> {
  const page =
    of === "jobs"
      ? await call(listJobsRoute, { query: { limit: 50 } })
      : await call(listRunnersRoute, { query: { limit: 50 } });
  return page.body.items.map(({ id }) => id);
}
