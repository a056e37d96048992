/** What a route answers that has several successes: which of them, and its body. */
export class Answer<Status extends number, Value> {
  readonly status: Status;
  readonly value: Value;

  constructor(status: Status, value: Value) {
    this.status = status;
    this.value = value;
  }
}

/** The answer of this status, without a body. */
export function answer<const Status extends number>(status: Status): Answer<Status, undefined>;
/** The answer of this status, with this body. */
export function answer<const Status extends number, Value>(
  status: Status,
  value: Value,
): Answer<Status, Value>;
/** One of the successes that a route has. */
export function answer(status: number, value?: unknown): Answer<number, unknown> {
  return new Answer(status, value);
}
