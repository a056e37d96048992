import { expect, test } from "vitest";
import { readEvents, type ServerEvent } from "./read-events.ts";

async function read(...lines: string[]): Promise<ServerEvent[]> {
  async function* given(): AsyncGenerator<string> {
    yield* await Promise.resolve(lines);
  }
  const events: ServerEvent[] = [];
  for await (const event of readEvents(given())) events.push(event);
  return events;
}

test("events have their id, type and data; an id stays until there is another", async () => {
  expect(
    await read(
      "id: 7",
      "data: {}",
      "",
      "event: end",
      "data:a",
      "data:  b",
      "",
      "id: 8",
      ": alive",
      "",
    ),
  ).toEqual([
    { id: "7", type: "message", data: "{}", retryMs: undefined },
    { id: "7", type: "end", data: "a\n b", retryMs: undefined },
    { id: "8", type: "message", data: undefined, retryMs: undefined },
  ]);
});

test("what is cut off is no event, and a retry is kept", async () => {
  expect(await read("retry: 250", "", "retry: soon", "data: half")).toEqual([
    { id: "", type: "message", data: undefined, retryMs: 250 },
  ]);
});
