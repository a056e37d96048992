import { BrokerUnreachable } from "../../shared/api/call-route.ts";

/** The lines of an answer as they come; BrokerUnreachable when the connection breaks before its end. */
export async function* readLines(response: Response): AsyncGenerator<string> {
  let rest = "";
  const text = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  try {
    for await (const part of text) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw new BrokerUnreachable("The connection to the broker broke.", { cause: error });
  }
  if (rest !== "") yield rest;
}
