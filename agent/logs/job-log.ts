import type { ChildOutput } from "../processes/child.ts";
import type { RunPosition } from "../spool/log-frame.ts";
import type { LogSpool } from "../spool/log-spool.ts";
import type { LogSpools } from "../spool/log-spools.ts";
import type { LogIdentity } from "../spool/stream-file.ts";
import { type LineCutter, makeLineCutter } from "./line-cutter.ts";
import { encodeAttribute, makeRecordBuffer } from "./otlp-records.ts";
import type { RedactionStream, Redactor } from "./redactor.ts";

export type LogSeverity = "debug" | "info" | "warn" | "error";

/** Whose log it is; `attributes` are the whole log's: `runner_job.id`, `runner_job.type` … */
export type JobLogSpec = LogIdentity;

/** What a line comes from. */
export type LogSource = {
  /** The step's name, as readers see it. */
  readonly step: string;
  /** Names the run of a child within the job: the same name, after a restart of the agent, is the same run. */
  readonly run: string;
};

/**
 * The log of one execution: lines, numbered from 1, timed, redacted. What has been written goes to disk within 250 ms
 * and to the broker by itself; opened again after a crash, it goes on where it was, each line once.
 */
export type JobLog = {
  /** Says a line (or several) of the agent's own; with a key, once, after a crash, too. */
  readonly write: (text: string, severity?: LogSeverity, step?: string, key?: string) => void;
  /** Reads the output to its end, or on from where a former process of the agent stopped; releases what is on disk. */
  readonly pipe: (source: LogSource, output: ChildOutput) => Promise<void>;
  /** Resolves when everything written so far is on disk. */
  readonly flush: () => Promise<void>;
  /** Resolves when all is on disk; nothing can be written any more. The number of the last line goes with the finish. */
  readonly close: () => Promise<{ readonly lastRecord: number }>;
};

const flushEveryMs = 200;
/** Few lines are sent so much later, together with what follows: a short job's whole log is one request. */
const gatherMs = 50;
const flushBytes = 64 * 1024;
/** Output is released so often at least, however little is left of it in lines. */
const releaseBytes = 1024 * 1024;
/** An unended line is shown when nothing comes for so long: a question, a row of dots. */
const quietMs = 2000;
const numbers: Readonly<Record<LogSeverity, number>> = { debug: 5, info: 9, warn: 13, error: 17 };

type Run = {
  readonly stream: RedactionStream;
  readonly cutter: LineCutter;
  lostBytes: number;
  /** Since when there is nothing to read, by performance.now(). */
  idleSinceMs: number | undefined;
};

/** Opens the log of an execution; after a crash, the one that is there. */
export async function openJobLog(
  spools: LogSpools,
  spec: JobLogSpec,
  redactor: Redactor,
): Promise<JobLog> {
  const spool = await spools.open(spec);
  const writer = makeWriter(spools, spool, redactor);
  if (spool.isAnew) {
    const text = "svc-agent: lines may be missing here: the disk has lost some of them.";
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
    pipe: (source, output) => pipe({ spools, spool, writer, redactor }, source, output),
    flush: () => writer.flush(),
    async close() {
      clearInterval(timer);
      await writer.flush(true);
      return { lastRecord: spool.nextSeq() - 1 };
    },
  };
}

type Writer = ReturnType<typeof makeWriter>;

/** Collects lines and brings them to the disk, together with how far their runs have got. */
function makeWriter(spools: LogSpools, spool: LogSpool, redactor: Redactor) {
  const records = makeRecordBuffer();
  const runs = new Map<string, Run>();
  const moved = new Set<string>();
  const once = makeOnce(spool);
  let count = 0;
  let seq = spool.nextSeq();
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;
  let gathering: NodeJS.Timeout | undefined;

  /** What brings a cut line into the buffer. */
  const lineOf = (step: string, severity: number) => {
    const shared = makeAttributes(spool, redactor, step);
    return (text: Buffer, atMs: number, isContinued: boolean): void => {
      if (isClosed) return;
      records.add(text, { seq: seq++, atMs, severity, shared: shared(), isContinued });
      count += 1;
    };
  };

  async function writeOut(isLast: boolean): Promise<void> {
    if (count === 0 && moved.size === 0 && !isLast) return;
    const positions: Record<string, RunPosition> = once.take();
    for (const name of moved) {
      const run = runs.get(name);
      if (run !== undefined) positions[name] = positionOf(run);
    }
    const lines = { count, runs: positions, records: records.take() };
    count = 0;
    moved.clear();
    await spool.append(isLast ? { ...lines, isLast } : lines);
    if (!isLast && lines.records.length < flushBytes) {
      gathering ??= setTimeout(announce, gatherMs).unref();
    } else announce();
  }

  function announce(): void {
    clearTimeout(gathering);
    gathering = undefined;
    spools.appended(spool);
  }

  function flush(isLast = false): Promise<void> {
    isClosed ||= isLast;
    writing = writing.then(() => writeOut(isLast));
    return writing;
  }

  function tick(): void {
    for (const [name, { cutter, idleSinceMs }] of runs) {
      if (idleSinceMs === undefined) continue;
      const before = seq;
      cutter.show(performance.now() - idleSinceMs >= quietMs ? "all" : "progress");
      if (seq > before) moved.add(name);
    }
    if (count > 0) void flush();
  }

  const isFull = (): boolean => records.byteLength() >= flushBytes;
  return { runs, moved, lineOf, once, flush, tick, isFull };
}

/** The attributes of a step's lines; a step may be called as a secret is that becomes known only later. */
function makeAttributes(spool: LogSpool, redactor: Redactor, step: string): () => Buffer {
  let knownCount = -1;
  let shared: Buffer = Buffer.alloc(0);
  return () => {
    if (redactor.knownCount() !== knownCount) {
      knownCount = redactor.knownCount();
      shared = attributesOf(spool, redactor.redactText(step));
    }
    return shared;
  };
}

/** Knows what was said once: that goes to the disk together with the line, as a run that has got nowhere. */
function makeOnce(spool: LogSpool) {
  const said = new Set<string>();
  return {
    isFirst(name: string): boolean {
      if (spool.runs.has(name) || said.has(name)) return false;
      said.add(name);
      return true;
    },
    take(): Record<string, RunPosition> {
      const names = [...said];
      said.clear();
      return Object.fromEntries(names.map((name) => [name, nowhere]));
    },
  };
}

const nowhere: RunPosition = { offset: 0, covered: 0, rest: "", restAtMs: 0 };

/** Nobody knows what came in between: it neither goes on with a line nor hides the rest of a secret. */
function tellLost(run: Run, bytes: number, atMs: number): void {
  run.cutter.feed(run.stream.end(), atMs);
  run.cutter.end();
  run.cutter.feed(Buffer.from(`svc-agent: ${bytes} bytes of the output are lost here.\n`), atMs);
  run.lostBytes += bytes;
}

function attributesOf({ identity }: LogSpool, step: string): Buffer {
  const parts = [encodeAttribute("runner_job_execution.id", identity.executionId)];
  if (step !== "") parts.push(encodeAttribute("runner_job_execution_step.name", step));
  return Buffer.concat(parts);
}

function positionOf({ stream, cutter, lostBytes }: Run): RunPosition {
  const { offset, ...place } = stream.position();
  const { bytes, atMs } = cutter.rest();
  return { ...place, offset: offset + lostBytes, rest: bytes.toString("base64"), restAtMs: atMs };
}

type Pipe = {
  readonly spools: LogSpools;
  readonly spool: LogSpool;
  readonly writer: Writer;
  readonly redactor: Redactor;
};

async function pipe(
  { spools, spool, writer, redactor }: Pipe,
  { step, run: name }: LogSource,
  output: ChildOutput,
): Promise<void> {
  const known = spool.runs.get(name);
  const rest = known && { bytes: Buffer.from(known.rest, "base64"), atMs: known.restAtMs };
  const cutter = makeLineCutter(writer.lineOf(step, numbers.info), rest);
  const run: Run = { stream: redactor.stream(known), cutter, lostBytes: 0, idleSinceMs: undefined };
  writer.runs.set(name, run);
  let at = known?.offset ?? 0;
  let releasedAt = at;
  let lastAtMs = known?.restAtMs ?? Date.now();
  run.idleSinceMs = performance.now();
  for await (const { bytes, offset, atMs } of output) {
    const end = offset + bytes.length;
    if (end <= at) continue;
    run.idleSinceMs = undefined;
    if (offset > at) tellLost(run, offset - at, atMs);
    cutter.feed(run.stream.push(bytes.subarray(Math.max(0, at - offset))), atMs);
    at = end;
    lastAtMs = atMs;
    writer.moved.add(name);
    if (writer.isFull() || at - releasedAt >= releaseBytes) {
      await writer.flush();
      releasedAt = positionOf(run).offset;
      output.release(releasedAt);
      await spools.room(spool);
    }
    run.idleSinceMs = performance.now();
  }
  run.idleSinceMs = undefined;
  cutter.feed(run.stream.end(), lastAtMs);
  cutter.end();
  writer.moved.add(name);
  await writer.flush();
  writer.runs.delete(name);
  output.release(at);
}
