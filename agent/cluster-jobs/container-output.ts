import { backoffMs } from "../client/backoff.ts";
import { pause } from "../client/pause.ts";
import { ApiRefusal } from "../kubernetes/api-refusal.ts";
import type { Cluster } from "../kubernetes/cluster.ts";
import type { ChildOutput, OutputChunk } from "../processes/child.ts";
import { type LogLines, type LogMark, makeLogLines } from "./log-lines.ts";

/** A container whose log is read, and until when. */
export type ReadContainer = {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Aborted when it has ended: it prints no more. */
  readonly ended: AbortSignal;
  /** Aborted when nobody wants to read on. */
  readonly signal: AbortSignal;
  /** Where a former agent was, a little earlier perhaps. */
  readonly from: LogMark;
  /** Told of a place up to which all is safe elsewhere. */
  readonly keep: (mark: LogMark) => void;
  /** Told, in words, why not all can be read. */
  readonly onTrouble: (words: string) => void;
};

/** A connection that says nothing for so long is made anew: it may be dead. */
const mostSilenceMs = 60_000;
/** What a container printed last may come a little after it has ended. */
const lastWordsMs = 2_000;
const mostFailures = 8;
/** So many bytes lie between two places that are kept. */
const markEvery = 4_096;

/**
 * What a container prints, as a child's output is: each line once, over broken connections, and from the mark of a former
 * agent on. It ends when the container has.
 */
export function containerOutput(cluster: Cluster, read: ReadContainer): ChildOutput {
  const marks: LogMark[] = [];
  return {
    [Symbol.asyncIterator]: () => pieces(cluster, read, marks),
    release: (offset) => {
      const safe = marks.findLastIndex((mark) => mark.offset <= offset);
      const [mark] = marks.splice(0, safe + 1).slice(-1);
      if (mark !== undefined) read.keep(mark);
    },
  };
}

async function* pieces(
  cluster: Cluster,
  read: ReadContainer,
  marks: LogMark[],
): AsyncGenerator<OutputChunk, undefined> {
  const { ended, signal, onTrouble } = read;
  const lines = makeLogLines(read.from);
  for (let failures = 0; !signal.aborted;) {
    const isLast = ended.aborted;
    const { offset } = lines.mark();
    try {
      yield* whole(cluster, read, { lines, isLast, marks });
      if (isLast) return;
      failures = 0;
    } catch (error) {
      const end = endBy(error);
      if (end !== undefined && !signal.aborted) onTrouble(end);
      if (end !== undefined) return;
      failures = lines.mark().offset === offset ? failures + 1 : 0;
      if (failures === mostFailures) onTrouble((error as Error).message);
      // What still runs may be read again when its node, or the way to it, is back.
      if (failures >= mostFailures && isLast) return;
    }
    await pause(500 + backoffMs(failures, { fromMs: 200, mostMs: 5_000 }), signal, ended);
  }
}

type Going = { readonly lines: LogLines; readonly isLast: boolean; readonly marks: LogMark[] };

/** What one connection brings. */
async function* whole(
  cluster: Cluster,
  read: ReadContainer,
  going: Going,
): AsyncGenerator<OutputChunk> {
  const { lines, marks } = going;
  lines.begin();
  for await (const chunk of connection(cluster, read, going)) {
    const piece = lines.feed(chunk);
    if (piece === undefined) continue;
    keepMark(marks, lines.mark());
    yield piece;
  }
}

function keepMark(marks: LogMark[], mark: LogMark): void {
  const last = marks.at(-1);
  if (mark.offset > 0 && mark.offset - (last?.offset ?? 0) >= markEvery) marks.push(mark);
}

/** Why there is nothing more to be read; nothing when it may go on. */
function endBy(error: unknown): string | undefined {
  if (!(error instanceof ApiRefusal)) return undefined;
  if (error.status === 404) return "its pod is gone";
  return error.status === 403 ? error.message : undefined;
}

/** One connection, from the last line that is known; it ends when it is silent for too long, or the container has ended. */
async function* connection(
  cluster: Cluster,
  { namespace, pod, container, ended, signal }: ReadContainer,
  { lines, isLast }: Pick<Going, "lines" | "isLast">,
): AsyncGenerator<Buffer> {
  const cut = new AbortController();
  const { time } = lines.mark();
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
  const query = {
    container,
    timestamps: "true",
    ...(!isLast && { follow: "true" }),
    ...(time !== "" && { sinceTime: new Date(Date.parse(time)).toISOString().slice(0, 19) + "Z" }),
  };
  let timer = setTimeout(() => cut.abort(), mostSilenceMs);
  const hurry = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => cut.abort(), lastWordsMs);
  };
  if (!isLast) ended.addEventListener("abort", hurry, { once: true });
  try {
    const stream = await cluster.stream(path, query, AbortSignal.any([cut.signal, signal]));
    for await (const chunk of stream) {
      yield chunk;
      if (!ended.aborted || isLast) timer.refresh();
    }
  } catch (error) {
    if (!cut.signal.aborted || isLast) throw error;
  } finally {
    clearTimeout(timer);
    ended.removeEventListener("abort", hurry);
  }
}
