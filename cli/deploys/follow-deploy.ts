import { followRun, runCodes } from "../actions/follow-run.ts";
import { exitCodes } from "../errors/exit-codes.ts";

type Context = Parameters<typeof followRun>[0];
type Begun = {
  /** What standard output gets where it is not followed, besides by JSON. */
  readonly id: string;
  readonly text: string;
  readonly workflowId: string;
  readonly isWaiting: boolean;
};

/** Flags of what begins a change of an install and follows it. */
export const followFlags = {
  role: { value: "ROLE", summary: "By this role, in place of the operation's own." },
  "plan-only": { summary: "Only plan: show what would be done." },
  "no-wait": { summary: "Do not follow it." },
} as const;

/** The flag of what begins a change of an install and follows it only when asked to. */
export const waitFlag = {
  wait: { summary: "Follow its workflow then until it has ended; the exit code says how." },
} as const;

/** How commands with that flag behave while they follow. */
export const waits = { codes: runCodes, ownsInterrupt: true, outlivesReader: true } as const;

/** What commands say of following. */
export const followDetails =
  "The logs of its jobs go to standard output, messages to standard error; with --no-wait, or -o, what has begun is what goes to standard output. A step that wants an approval waits for it; another terminal can give it: svc workflow approve. Ctrl-C stops following; the workflow continues.";

/** Follows a workflow that has begun, or says what has; the exit code is 0 where it succeeded. */
export async function followDeploy(
  context: Context,
  { id, text, workflowId, isWaiting }: Begun,
): Promise<number> {
  const { screen } = context;
  const isJson = screen.format === "json" || screen.format === "ndjson";
  if (screen.format === "table" && isWaiting) screen.say(`${id} has begun.`);
  else screen.out(isJson ? text : id);
  return await watchOrFollow(context, workflowId, isWaiting);
}

/** Says where a workflow can be watched; if that was asked for, follows it, and answers the exit code. */
export async function watchOrFollow(
  context: Context,
  workflowId: string,
  isWaiting: boolean,
): Promise<number> {
  if (isWaiting) return await followToEnd(context, workflowId);
  context.screen.say(`Watch it: svc workflow watch ${workflowId}`);
  return exitCodes.ok.code;
}

async function followToEnd(context: Context, workflowId: string): Promise<number> {
  const { screen } = context;
  const leave = (): void => {
    screen.say(`It continues. See it: svc workflow watch ${workflowId}`);
    process.exit(exitCodes.interrupted.code);
  };
  process.once("SIGINT", leave);
  try {
    return await followRun(context, { workflowId, isLone: false });
  } finally {
    process.off("SIGINT", leave);
  }
}
