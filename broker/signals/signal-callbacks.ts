import type { NewSignalBody, NewSignalCallback } from "../../shared/api/new-signal.ts";
import { signalType } from "../../shared/signal-types.ts";
import { newId } from "../database/new-id.ts";
import type { Seals } from "../seals/seals.ts";

/** The source text of a member, by its pointer; undefined where none was kept. */
export type TextOf = (pointer: string) => string | undefined;

/** A callback as `new_callback` of the database takes it. */
export type CallbackDraft = {
  readonly n: number;
  readonly kind: "signal" | "runner-job" | "http-call";
  readonly statuses: NewSignalCallback["on"];
  readonly next_id: string;
  readonly queue_id?: string;
  readonly type?: string;
  readonly runs?: string;
  readonly task?: string | null;
  readonly dedupe_key?: string | null;
  readonly expires_in?: number | null;
  readonly max_executions?: number;
  readonly retry_delay?: number;
  readonly key_id: string | null;
  readonly contents: string;
};

/** The callbacks of a signal in their order, each with its place in it. */
export function callbacksOf({
  callback,
  callbacks = [],
}: Pick<NewSignalBody, "callback" | "callbacks">): {
  readonly pointer: string;
  readonly callback: NewSignalCallback;
}[] {
  const first = callback === undefined ? [] : [{ pointer: "/callback", callback }];
  const others = callbacks.map((one, at) => ({ pointer: `/callbacks/${at}`, callback: one }));
  return [...first, ...others];
}

/** What a callback makes, as one thing with a type: a job and a call are what signals of these types hold. */
export function partsOf({ signal, runner_job: job, http_call: call }: NewSignalCallback): {
  readonly type: string;
  readonly member: string;
  readonly value: Readonly<Record<string, unknown>>;
} {
  if (signal !== undefined)
    return { type: signal.type, member: "/signal/signal", value: signal.signal };
  if (job !== undefined) return { type: "runner-job", member: "/runner_job", value: job };
  return { type: "http-call", member: "/http_call", value: call ?? {} };
}

/** The row of a callback: its contents are sealed as the contents of what it becomes. */
export function draftCallback(
  seals: Seals,
  { orgId, n, textOf }: { readonly orgId: string; readonly n: number; readonly textOf: TextOf },
  callback: NewSignalCallback,
): CallbackDraft {
  const { signal, runner_job: job } = callback;
  const { member, value } = partsOf(callback);
  const id = newId(job === undefined ? "sig" : "job");
  const text = textOf(member) ?? JSON.stringify(value);
  const part = signal === undefined ? "callback" : "signal";
  const { keyId, bytes } = seals.seal({ orgId, id, part }, Buffer.from(text));
  const sealed = { key_id: keyId, contents: bytes.toString("base64") };
  const known = { n, statuses: callback.on, next_id: id, ...sealed };
  if (signal === undefined)
    return { ...known, kind: job === undefined ? "http-call" : "runner-job" };
  const row = signalType(signal.type);
  if (row === undefined) throw new Error(`${signal.type} is no type of signals`);
  return {
    ...known,
    kind: "signal",
    queue_id: signal.queue_id,
    type: signal.type,
    runs: row.runs,
    task: row.task ?? null,
    dedupe_key: signal.dedupe_key ?? null,
    expires_in: signal.expires_in ?? null,
    max_executions: signal.max_executions,
    retry_delay: signal.retry_delay,
  };
}
