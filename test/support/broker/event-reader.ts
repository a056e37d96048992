import { onTestFinished } from "vitest";

export type ServerEvent = {
  readonly id: string;
  readonly type: string;
  readonly value: Record<string, unknown>;
};

/** One connection of server-sent events. */
export type EventReader = {
  readonly status: number;
  readonly headers: Headers;
  /** All that came so far. */
  readonly events: readonly ServerEvent[];
  readonly bodies: () => string[];
  /** The id to resume from: of the last event, or of a sign of life after it. */
  readonly lastId: () => string;
  /** Resolves when the connection has ended, however it did. */
  readonly ended: Promise<void>;
  readonly close: () => void;
};

/** Opens a stream of server-sent events; it is closed when the test has finished. */
export async function openEvents(
  url: string,
  { token, lastEventId }: { readonly token: string; readonly lastEventId?: string },
): Promise<EventReader> {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const headers = new Headers({ accept: "text/event-stream", authorization: `Bearer ${token}` });
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  const response = await fetch(url, { headers, signal: gone.signal });
  const events: ServerEvent[] = [];
  let lastId = lastEventId ?? "";

  async function readAll(): Promise<void> {
    let rest = "";
    const text = response.body?.pipeThrough(new TextDecoderStream());
    for await (const part of text ?? []) {
      const blocks = (rest + part).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) take(block);
    }
  }

  function take(block: string): void {
    const fields = new Map(
      block.split("\n").map((line): [string, string] => {
        const [name = "", ...value] = line.split(": ");
        return [name, value.join(": ")];
      }),
    );
    lastId = fields.get("id") ?? lastId;
    const data = fields.get("data");
    if (data === undefined) return;
    const value = JSON.parse(data) as ServerEvent["value"];
    events.push({ id: lastId, type: fields.get("event") ?? "message", value });
  }

  return {
    status: response.status,
    headers: response.headers,
    events,
    bodies: () => events.flatMap(({ value }) => ("body" in value ? [String(value["body"])] : [])),
    lastId: () => lastId,
    ended: readAll().catch(() => {}), // cut off: what came is what came
    close: () => gone.abort(),
  };
}
