import { Writer } from "protobufjs/minimal.js";

/** How many items were not accepted, and why; an exporter must not send them again. A reason with a count of 0 is a warning. */
export type Refused = { readonly count: number; readonly reason: string };

/** An Export…ServiceResponse: empty when all was taken and there is nothing to say; its numbers are the same for every signal. */
export function partialSuccessProtobuf({ count, reason }: Refused): Uint8Array<ArrayBuffer> {
  const answer = Writer.create();
  if (reason !== "")
    answer.uint32(0x0a).fork().uint32(0x08).int64(count).uint32(0x12).string(reason).ldelim();
  return new Uint8Array(answer.finish());
}
