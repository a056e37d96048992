/** What a kind of work gets: small values, and large ones as bytes, which it may take out of their list to have them in memory no longer than it needs them. */
export type WorkGiven<Input> = { readonly asked: Input; readonly bytes: Buffer[] };
/** What it answers. What is long goes into bytes, finished: a broker passes them on and looks into none. */
export type WorkDone<Output> = { readonly told: Output; readonly bytes: readonly Uint8Array[] };

/** What a broker gets of it. */
export type WorkResult<Output> = {
  readonly told: Output;
  readonly bytes: readonly Buffer<ArrayBuffer>[];
};

/**
 * One kind of work: bytes in, bytes out, nothing else. It runs in a child process, without settings, database or network;
 * a `Problem` that it throws is the answer of the request.
 */
export type WorkKind<Input, Output> = (
  given: WorkGiven<Input>,
) => WorkDone<Output> | Promise<WorkDone<Output>>;

/** A kind whose module is loaded when it is first asked for. */
export function loadedKind<Input, Output>(
  load: () => Promise<WorkKind<Input, Output>>,
): WorkKind<Input, Output> {
  return async (given) => await (await load())(given);
}
