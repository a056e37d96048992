import { callRoute } from "../../shared/api/call-route.ts";
import { completionScript, shells } from "../../shared/command-line/completion.ts";
import { version } from "../../shared/version.ts";
import { type Command, type Caller, defineCommand } from "../command.ts";

const showCompletion = defineCommand({
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

/** Longer nobody waits at a Tab. */
const patienceMs = 1500;

/** What the shells' scripts ask at every Tab. */
const completeLine = defineCommand({
  name: "completion suggest",
  summary: "List what can come next on a command line.",
  isHidden: true,
  args: { words: { summary: "The words so far.", isRepeatable: true, isOptional: true } },
  run: async ({ args, config, connect, screen, suggest }) => {
    const { words, offers } = await suggest(args.words);
    for (const word of words) screen.out(word);
    if (offers === undefined) return;
    const typed = args.words.at(-1) ?? "";
    const ids = async (): Promise<readonly string[]> => {
      const { listIds } = await import("./list-ids.ts"); // it knows the routes of all that has ids
      const { runnerId, ...endpoint } = await connect();
      const own = { ...endpoint, userAgent: `svc-cli/${version}`, retries: 0 };
      const signal = AbortSignal.timeout(patienceMs);
      const call: Caller = async (route, input) =>
        await callRoute(own, route, { ...input, signal });
      return await listIds(offers, { call, words: args.words, runnerId, config });
    };
    // Without a broker, a token or an answer there is nothing to offer, and nothing to say.
    for (const id of await ids().catch(() => [])) if (id.startsWith(typed)) screen.out(id);
  },
});

/** The commands of completion, in the order of help. */
export const completionCommands: readonly Command[] = [showCompletion, completeLine];
