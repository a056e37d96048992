import type { ArgSpec, Example } from "../shared/command-line/command.ts";
import { type Caller, type Command, defineCommand } from "./command.ts";
import { printItem, type View } from "./output/print.ts";

type PauseInput = { readonly note?: string; readonly until?: string };
type Answer<Item> = { readonly text: string; readonly body: Item };
/** What differs between the two commands of one noun. */
type Said<Item> = {
  readonly summary: string;
  readonly example: Example;
  readonly send: (call: Caller, id: string, body: PauseInput) => Promise<Answer<Item>>;
};

/** What can be paused: its noun, the argument that names one, how it is shown, and what each command says and sends. */
type Pausable<Item> = {
  readonly noun: string;
  readonly argument: ArgSpec;
  readonly view: View<Item>;
  readonly pause: Said<Item>;
  readonly resume: Said<Item>;
};

const note = { value: "TEXT", summary: "The reason, visible to others." } as const;
const until = {
  value: "WHEN",
  summary: "When it resumes: an instant, or a duration from now like 15m (default: never).",
} as const;

/** The commands that pause and resume a thing of one noun. */
export function definePauses<Item>({ noun, argument, view, ...said }: Pausable<Item>): {
  readonly pause: Command;
  readonly resume: Command;
} {
  const args = { [noun]: argument };
  const { pause, resume } = said;
  return {
    pause: defineCommand({
      name: `${noun} pause`,
      summary: pause.summary,
      args,
      flags: { note, until },
      examples: [pause.example],
      run: async ({ args: { [noun]: id = "" }, flags, call, screen }) => {
        printItem(screen, await pause.send(call, id, given(flags)), view);
        screen.say(`Undo it: svc ${noun} resume ${id}`);
      },
    }),
    resume: defineCommand({
      name: `${noun} resume`,
      summary: resume.summary,
      args,
      flags: { note },
      examples: [resume.example],
      run: async ({ args: { [noun]: id = "" }, flags, call, screen }) =>
        printItem(screen, await resume.send(call, id, given(flags)), view),
    }),
  };
}

/** Without what was not given. */
function given(flags: { readonly note: string | undefined; readonly until?: string | undefined }) {
  const { note, until } = flags;
  return { ...(note !== undefined && { note }), ...(until !== undefined && { until }) };
}
