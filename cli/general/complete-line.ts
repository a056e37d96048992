import { listEmittersRoute } from "../../shared/api/emitters.ts";
import { listQueuesRoute } from "../../shared/api/queues.ts";
import { listJobsRoute } from "../../shared/api/read-runner-jobs.ts";
import { listRunnersRoute } from "../../shared/api/runners.ts";
import { completionScript, shells } from "../../shared/command-line/completion.ts";
import { type Caller, defineCommand } from "../command.ts";

export const showCompletion = defineCommand({
  name: "completion",
  summary: "Print a shell script that completes commands, flags and ids.",
  isLocal: true,
  args: { shell: { choices: shells, summary: `One of ${shells.join(", ")}.` } },
  examples: [
    { does: "Enable completion in this bash session.", run: "source <(svc completion bash)" },
    {
      does: "Enable completion in fish permanently.",
      run: "svc completion fish > ~/.config/fish/completions/svc.fish",
    },
  ],
  run: async ({ args, screen }) => {
    screen.asIs.out(completionScript("svc", args.shell));
    return await Promise.resolve();
  },
});

/** What the shells' scripts ask at every Tab. */
export const completeLine = defineCommand({
  name: "completion suggest",
  summary: "List what can come next on a command line.",
  isHidden: true,
  args: { words: { summary: "The words so far.", isRepeatable: true, isOptional: true } },
  run: async ({ args, call, screen, suggest }) => {
    const { words, offers } = suggest(args.words);
    for (const word of words) screen.out(word);
    const typed = args.words.at(-1) ?? "";
    for (const id of await listIds(call, offers)) if (id.startsWith(typed)) screen.out(id);
  },
});

/** The newest things of a kind, whose ids can be completed. */
const lists: Readonly<Record<string, (call: Caller) => Promise<readonly { id: string }[]>>> = {
  jobs: async (call) => (await call(listJobsRoute, { query: { limit: 50 } })).body.items,
  runners: async (call) => (await call(listRunnersRoute, { query: { limit: 50 } })).body.items,
  emitters: async (call) => (await call(listEmittersRoute, { query: { limit: 50 } })).body.items,
  queues: async (call) => (await call(listQueuesRoute, { query: { limit: 50 } })).body.items,
};

async function listIds(call: Caller, of: string | undefined): Promise<string[]> {
  const list = of === undefined ? undefined : lists[of];
  return list === undefined ? [] : (await list(call)).map(({ id }) => id);
}
