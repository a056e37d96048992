import type { ChildOutput, OutputChunk } from "../processes/child.ts";
import type { LogSpool } from "../spool/log-spool.ts";
import type { LogSpools } from "../spool/log-spools.ts";
import type { LogIdentity } from "../spool/stream-file.ts";
import { type Line, makeLineCutter } from "./line-cutter.ts";
import type { LineRenderer, MakeRenderer, RenderedLine, LogSeverity } from "./line-renderer.ts";
import { type LogWriter, makeLogWriter, type Run } from "./log-writer.ts";
import type { Redactor } from "./redactor.ts";

/** Identifies the log; `attributes` apply to the whole log: `runner_job.id`, `runner_job.type` … */
export type JobLogSpec = LogIdentity;

/** The source of a line. */
export type LogSource = {
  /** The step's name, as readers see it. */
  readonly step: string;
  /** The name of a child's run within the job; the same name after a restart of the agent means the same run. */
  readonly run: string;
  /** For machine-readable output: renders it for people. */
  readonly render?: MakeRenderer | undefined;
};

/**
 * The log of one execution: numbered, timed and redacted lines. They are on disk within 250 ms and are sent in the
 * background. Reopened after a crash it continues where it was, with each line once.
 */
export type JobLog = {
  /** Writes a line (or several) of the agent itself; a line with a key is written once, even after a crash. */
  readonly write: (text: string, severity?: LogSeverity, step?: string, key?: string) => void;
  /**
   * Reads the output to its end, or on from where an earlier process of the agent stopped, and releases what is on
   * disk. It does not read faster than the broker accepts, until the signal aborts.
   */
  readonly pipe: (source: LogSource, output: ChildOutput, signal?: AbortSignal) => Promise<void>;
  /** Resolves when everything written so far is on disk. */
  readonly flush: () => Promise<void>;
  /** The same, and sends it at once: the end follows. */
  readonly sendOff: () => Promise<void>;
  /** Closes the log; resolves when everything is on disk. The number of the last record is part of the result. */
  readonly close: () => Promise<{ readonly lastRecord: number }>;
};

const flushEveryMs = 200;
/** Output is released after at most this many bytes, even when they make few lines. */
const releaseBytes = 1024 * 1024;
const numbers: Readonly<Record<LogSeverity, number>> = { debug: 5, info: 9, warn: 13, error: 17 };

/** Opens the log of an execution, or reopens an existing one. */
export async function openJobLog(
  spools: LogSpools,
  spec: JobLogSpec,
  redactor: Redactor,
): Promise<JobLog> {
  const spool = await spools.open(spec);
  const writer = makeLogWriter(spools, spool, redactor);
  if (spool.isAnew) {
    const text = "svc-agent: lines may be missing here: the disk lost some of them.";
    writer.lineOf("", numbers.warn)(Buffer.from(text), Date.now(), false);
  }
  const timer = setInterval(writer.tick, flushEveryMs).unref();
  return {
    write(text, severity = "info", step = "", key) {
      if (key !== undefined && !writer.once.isFirst(`said ${key}`)) return;
      const atMs = Date.now();
      for (const line of redactor
        .redactText(text)
        .replace(/\r?\n$/, "")
        .split("\n")) {
        const cutter = makeLineCutter(writer.lineOf(step, numbers[severity]));
        cutter.feed(Buffer.from(line), atMs);
        cutter.end();
      }
    },
    pipe: (source, output, signal) =>
      pipe({ spools, spool, writer, redactor, signal }, source, output),
    flush: () => writer.flush(),
    sendOff: () => writer.flush({ isUrgent: true }),
    async close() {
      clearInterval(timer);
      await writer.flush({ isLast: true });
      return { lastRecord: spool.nextSeq() - 1 };
    },
  };
}

/** Output is missing in between, so neither a line nor a redacted secret continues over the gap. */
function tellLost(run: Run, bytes: number, atMs: number): void {
  run.cutter.feed(run.stream.end(), atMs);
  run.cutter.end();
  run.cutter.feed(Buffer.from(`svc-agent: ${bytes} bytes of the output are missing here.\n`), atMs);
  run.lostBytes += bytes;
}

type Pipe = {
  readonly spools: LogSpools;
  readonly spool: LogSpool;
  readonly writer: LogWriter;
  readonly redactor: Redactor;
  readonly signal: AbortSignal | undefined;
};

async function pipe(
  { spools, spool, writer, redactor, signal }: Pipe,
  { step, run: name, render }: LogSource,
  output: ChildOutput,
): Promise<void> {
  const known = spool.runs.get(name);
  const rest = known && { bytes: Buffer.from(known.rest, "base64"), atMs: known.restAtMs };
  const renderer = render?.(known?.kept);
  const line =
    renderer === undefined
      ? writer.lineOf(step, numbers.info)
      : renderedLine(renderer, (severity) => writer.lineOf(step, numbers[severity]));
  const cutter = makeLineCutter(line, rest);
  const run: Run = {
    stream: redactor.stream(known),
    cutter,
    lostBytes: 0,
    kept: renderer?.kept,
    idleSinceMs: undefined,
    onWritten: output.release,
  };
  writer.runs.set(name, run);
  let at = known?.offset ?? 0;
  let flushedAt = at;
  let flushing: Promise<void> = Promise.resolve();
  let lastAtMs = known?.restAtMs ?? Date.now();
  run.idleSinceMs = performance.now();
  const { pendingBytes } = writer;
  for await (const { bytes, offset, atMs } of inPieces(output, spools.pieceBytes)) {
    const end = offset + bytes.length;
    if (end <= at) continue;
    run.idleSinceMs = undefined;
    if (offset > at) tellLost(run, offset - at, atMs);
    cutter.feed(run.stream.push(bytes.subarray(Math.max(0, at - offset))), atMs);
    at = end;
    lastAtMs = atMs;
    writer.moved.add(name);
    if (writer.isFull() || at - flushedAt >= releaseBytes) {
      await flushing;
      flushedAt = at;
      // The next chunk is read while this one is written.
      flushing = writer.flush();
      flushing.catch(() => {}); // thrown when it is awaited
      await spools.room({ spool, pendingBytes, signal });
    }
    run.idleSinceMs = performance.now();
  }
  run.idleSinceMs = undefined;
  cutter.feed(run.stream.end(), lastAtMs);
  cutter.end();
  writer.moved.add(name);
  await flushing;
  await writer.flush();
  writer.runs.delete(name);
  output.release(at);
}

/** Renders each whole line; the pieces of a line that is too long are reported once. */
function renderedLine(renderer: LineRenderer, lineOf: (severity: LogSeverity) => Line): Line {
  const lines = new Map<LogSeverity, Line>();
  let isPiece = false;
  const write = ({ text, severity = "info" }: RenderedLine, atMs: number): void => {
    let line = lines.get(severity);
    if (line === undefined) lines.set(severity, (line = lineOf(severity)));
    for (const one of text.split("\n")) {
      const cutter = makeLineCutter(line);
      cutter.feed(Buffer.from(one), atMs);
      cutter.end();
    }
  };
  return (text, atMs, isContinued) => {
    const isWhole = !isPiece && !isContinued;
    isPiece = isContinued;
    if (!isWhole && isContinued) return;
    const shown = isWhole ? renderer.line(text.toString("utf8")) : renderer.tooLong();
    for (const one of shown) write(one, atMs);
  };
}

/** Splits chunks to this size. */
async function* inPieces(output: ChildOutput, mostBytes: number): AsyncGenerator<OutputChunk> {
  for await (const chunk of output) {
    for (let at = 0; at < chunk.bytes.length; at += mostBytes) {
      const bytes = chunk.bytes.subarray(at, at + mostBytes);
      yield { ...chunk, bytes, offset: chunk.offset + at };
    }
  }
}
