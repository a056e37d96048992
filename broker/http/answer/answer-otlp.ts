import { partialSuccessProtobuf, type Refused } from "../../otlp/partial-success.ts";
import type { AppContext } from "../app-types.ts";
import type { OtlpBody } from "../body/read-otlp.ts";

type CountedName = "rejectedLogRecords" | "rejectedSpans" | "rejectedDataPoints";

/** The part of a request that was not accepted, for the exporter. */
type PartialSuccess<Counted extends string = CountedName> = {
  /** Of the answer. */
  readonly status: 200 | 201;
  readonly refused: Refused;
  /** What the signal calls its refused parts. */
  readonly counted: Counted;
};

type Answered<Counted extends string> = {
  readonly partialSuccess?: { readonly [Of in Counted]: string } & {
    readonly errorMessage: string;
  };
};

/** Answers in the encoding of the request, as the protocol asks: protobuf by itself, JSON as the value that the handler returns. */
export function answerOtlp<Counted extends PartialSuccess["counted"]>(
  c: AppContext,
  type: OtlpBody["type"],
  { status, refused, counted }: PartialSuccess<Counted>,
): Answered<Counted> {
  if (type === "application/x-protobuf") {
    // The contract documents the JSON form alone.
    return c.body(partialSuccessProtobuf(refused), status, { "content-type": type }) as never;
  }
  const { count, reason } = refused;
  if (reason === "") return {};
  const partialSuccess = { [counted]: String(count), errorMessage: reason };
  return { partialSuccess } as Answered<Counted>; // named as asked
}
