import { Socket } from "node:net";
import { Problem } from "../../shared/problem.ts";
import type { ChildAnswer, ChildAsked } from "./child-words.ts";
import { type Frame, frameReader, writeFrame } from "./frames.ts";
import type { WorkDone, WorkKind } from "./work-kind.ts";
import { tooMuchTold } from "./work-problems.ts";

type Kinds = Readonly<Record<string, WorkKind<never, unknown>>>;
type Said = {
  readonly said: Pick<ChildAnswer, "told" | "refused" | "failed">;
  readonly bytes: WorkDone<unknown>["bytes"];
};

/** What a child process does: one piece of work after the other, of these kinds, until its broker ends. */
export function serveWork(kinds: Kinds): void {
  const answer = async ({ head, parts }: Frame): Promise<void> => {
    const { said, bytes } = await workOf(kinds, head as ChildAsked, parts); // the broker's own words
    const { user, system } = process.cpuUsage();
    const usage = { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() };
    const told: ChildAnswer = { ...said, ...usage };
    await writeFrame(channel, { head: told, parts: bytes });
  };
  const reader = frameReader((frame) => void answer(frame));
  // What comes is written where it belongs: a body of 64 MiB is not copied once more.
  const onread = {
    buffer: reader.next,
    callback(bytes: number): boolean {
      reader.took(bytes);
      return true;
    },
  };
  const channel = new Socket({ fd: 3, onread });
  channel.on("error", end).on("end", end).on("close", end);
}

const end = (): never => process.exit(0);

async function workOf(kinds: Kinds, { kind, asked }: ChildAsked, bytes: Buffer[]): Promise<Said> {
  try {
    const act = kinds[kind];
    if (act === undefined) throw new Error(`there is no work of the kind ${kind}`);
    const done = await act({ asked: asked as never, bytes }); // as the row of its kind has it
    requireShort(done.told);
    return { said: { told: done.told }, bytes: done.bytes };
  } catch (error) {
    return error instanceof Problem ? refusalOf(error) : failureOf(error);
  }
}

/** A broker parses what it is told in one go, before it answers anybody else. */
const mostToldLetters = 2 * 1024 * 1024;

function requireShort(told: unknown): void {
  const letters = JSON.stringify(told)?.length ?? 0;
  if (letters > mostToldLetters) throw new RangeError(`${tooMuchTold}: ${letters} letters`);
}

/** Its errors may be many, and are finished here. */
function refusalOf({ status, code, message: detail, errors, headers, members }: Problem): Said {
  const bytes = errors.length === 0 ? [] : [Buffer.from(JSON.stringify(errors))];
  return { said: { refused: { status, code, detail, headers, members } }, bytes };
}

function failureOf(error: unknown): Said {
  const { name, message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  const failed = { name, message: message.slice(0, 500), stack: stack.slice(0, 2000) };
  return { said: { failed }, bytes: [] };
}
