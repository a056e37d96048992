import type { RunPosition } from "../spool/log-frame.ts";
import type { LogSpool } from "../spool/log-spool.ts";
import type { LogSpools } from "../spool/log-spools.ts";
import type { LineCutter } from "./line-cutter.ts";
import { encodeAttribute, makeRecordBuffer } from "./otlp-records.ts";
import type { RedactionStream, Redactor } from "./redactor.ts";

const flushBytes = 64 * 1024;
/** A few lines wait this long for more: a short job's whole log is one request. */
const gatherMs = 50;
/** An incomplete line is shown after this time without output: a question, a row of dots. */
const quietMs = 2000;

/** How far a child's output has been read. */
export type Run = {
  readonly stream: RedactionStream;
  readonly cutter: LineCutter;
  lostBytes: number;
  /** The state of its renderer; undefined without a renderer. */
  readonly kept: (() => string) | undefined;
  /** Since when there is no output, by performance.now(). */
  idleSinceMs: number | undefined;
  /** Called with the position that is on disk. */
  readonly onWritten: (offset: number) => void;
};

export type LogWriter = ReturnType<typeof makeLogWriter>;

/** Collects lines and writes them to disk, together with the positions of their runs. */
export function makeLogWriter(spools: LogSpools, spool: LogSpool, redactor: Redactor) {
  const records = makeRecordBuffer();
  const runs = new Map<string, Run>();
  const moved = new Set<string>();
  const once = makeOnce(spool);
  let count = 0;
  let underWay = 0;
  let seq = spool.nextSeq();
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;
  const announce = makeAnnouncer(() => spools.appended(spool));

  /** Puts a cut line into the buffer. */
  const lineOf = (step: string, severity: number) => {
    const shared = makeAttributes(spool, redactor, step);
    return (text: Buffer, atMs: number, isContinued: boolean): void => {
      if (isClosed) return;
      records.add(text, { seq: seq++, atMs, severity, shared: shared(), isContinued });
      count += 1;
    };
  };

  async function writeOut({ isLast = false, isUrgent = isLast }: Flush): Promise<void> {
    if (count === 0 && moved.size === 0 && !isLast) return;
    const { positions, tellWritten } = takeMoved(runs, moved);
    const lines = { count, runs: { ...once.take(), ...positions }, records: records.take() };
    count = 0;
    underWay = lines.records.length;
    await spool.append(isLast ? { ...lines, isLast } : lines);
    underWay = 0;
    announce(isUrgent || lines.records.length >= flushBytes);
    tellWritten();
  }

  function flush(how: Flush = {}): Promise<void> {
    isClosed ||= how.isLast === true;
    writing = writing.then(() => writeOut(how));
    return writing;
  }

  function tick(): void {
    for (const [name, { cutter, idleSinceMs, kept }] of runs) {
      // A renderer cannot read half a line.
      if (idleSinceMs === undefined || kept !== undefined) continue;
      const before = seq;
      cutter.show(performance.now() - idleSinceMs >= quietMs ? "all" : "progress");
      if (seq > before) moved.add(name);
    }
    if (count > 0) void flush();
  }

  const isFull = (): boolean => records.byteLength() >= flushBytes;
  const pendingBytes = (): number => records.byteLength() + underWay;
  return { runs, moved, lineOf, once, flush, tick, isFull, pendingBytes };
}

type Flush = {
  /** It is the last one. */
  readonly isLast?: boolean;
  /** It is sent at once, without waiting for more; the last one always is. */
  readonly isUrgent?: boolean;
};

/** Takes the positions of runs that have moved, and the callbacks for when they are on disk. */
function takeMoved(runs: ReadonlyMap<string, Run>, moved: Set<string>) {
  const positions: Record<string, RunPosition> = {};
  const written: (() => void)[] = [];
  for (const name of moved) {
    const run = runs.get(name);
    if (run === undefined) continue;
    const position = positionOf(run);
    positions[name] = position;
    written.push(() => run.onWritten(position.offset));
  }
  moved.clear();
  return { positions, tellWritten: () => written.forEach((tell) => tell()) };
}

/** Tells at once, or soon. */
function makeAnnouncer(tell: () => void): (isUrgent: boolean) => void {
  let gathering: NodeJS.Timeout | undefined;
  const announce = (): void => {
    clearTimeout(gathering);
    gathering = undefined;
    tell();
  };
  return (isUrgent) => {
    if (isUrgent) announce();
    else gathering ??= setTimeout(announce, gatherMs).unref();
  };
}

/**
 * The attributes of a step's lines. They are redacted each time, because a step's name may turn out to be a secret
 * later.
 */
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

/** Knows which keyed lines were written. That is stored together with the line, as a run at position zero. */
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

function attributesOf({ identity }: LogSpool, step: string): Buffer {
  const parts = [encodeAttribute("runner_job_execution.id", identity.executionId)];
  if (step !== "") parts.push(encodeAttribute("runner_job_execution_step.name", step));
  return Buffer.concat(parts);
}

function positionOf({ stream, cutter, lostBytes, kept }: Run): RunPosition {
  const { offset, ...place } = stream.position();
  const { bytes, atMs } = cutter.rest();
  return {
    ...place,
    offset: offset + lostBytes,
    rest: bytes.toString("base64"),
    restAtMs: atMs,
    ...(kept !== undefined && { kept: kept() }),
  };
}
