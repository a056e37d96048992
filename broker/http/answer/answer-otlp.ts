import { partialSuccessProtobuf, type Refused } from "../../otlp/partial-success.ts";
import type { AppContext } from "../app-types.ts";
import type { OtlpBody } from "../body/read-otlp.ts";

/** The part of a request that was not accepted, for the exporter. */
export type PartialSuccess = {
  readonly refused: Refused;
  /** What the signal calls its refused parts. */
  readonly counted: "rejectedLogRecords" | "rejectedSpans" | "rejectedDataPoints";
};

/** Answers in the encoding of the request, as the protocol asks. */
export function answerOtlp<Status extends 200 | 201>(
  c: AppContext,
  type: OtlpBody["type"],
  { status, refused, counted }: PartialSuccess & { readonly status: Status },
) {
  if (type === "application/x-protobuf") {
    // The contract documents the JSON form alone.
    return c.body(partialSuccessProtobuf(refused), status, { "content-type": type }) as never;
  }
  const { count, reason } = refused;
  if (reason === "") return c.json({}, status);
  return c.json({ partialSuccess: { [counted]: String(count), errorMessage: reason } }, status);
}
