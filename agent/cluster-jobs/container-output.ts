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
  /** Aborted when the container has ended and prints no more. */
  readonly ended: AbortSignal;
  /** Aborted when nobody needs the rest of the log. */
  readonly signal: AbortSignal;
  /** How far the previous agent had read; it may be slightly behind. */
  readonly from: LogMark;
  /** Called with a position up to which everything has been stored. */
  readonly keep: (mark: LogMark) => void;
  /** Called with the reason when the log cannot be read completely. */
  readonly onTrouble: (words: string) => void;
};

/** A connection that is silent for this long is replaced: it may be dead. */
const mostSilenceMs = 60_000;
/** The last lines of a container may arrive shortly after it has ended. */
const lastWordsMs = 2_000;
const mostFailures = 8;
/** The number of bytes between two stored positions. */
const markEvery = 4_096;

/**
 * The output of a container, in the form of a child's output: each line once, across broken connections, starting at the
 * position that a previous agent stored. It ends with the container.
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
      // The log of a running container is readable again when its node or the network is back.
      if (failures >= mostFailures && isLast) return;
    }
    await pause(500 + backoffMs(failures, { fromMs: 200, mostMs: 5_000 }), signal, ended);
  }
}

type Going = { readonly lines: LogLines; readonly isLast: boolean; readonly marks: LogMark[] };

/** The result of one connection. */
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

/** Why reading cannot continue; undefined when it can. */
function endBy(error: unknown): string | undefined {
  if (!(error instanceof ApiRefusal)) return undefined;
  if (error.status === 404) return "its pod is gone";
  return error.status === 403 ? error.message : undefined;
}

/** One connection, from the last known line. It ends when it is silent for too long or the container has ended. */
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
