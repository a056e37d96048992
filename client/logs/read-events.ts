/** A message of a stream of server-sent events, or a sign of life without `data`. */
export type ServerEvent = {
  /** Where to resume after it; empty when it was never told. */
  readonly id: string;
  readonly type: string;
  readonly data: string | undefined;
  /** How soon to come back when the connection breaks, if that was told. */
  readonly retryMs: number | undefined;
};

/** Reads lines as the standard of server-sent events says. */
export async function* readEvents(lines: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let id = "";
  let type = "message";
  let data: string | undefined;
  let retryMs: number | undefined;
  for await (const line of lines) {
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (line === "") {
      yield { id, type, data, retryMs };
      type = "message";
      data = undefined;
    } else if (name === "id") id = value;
    else if (name === "event") type = value;
    else if (name === "data") data = data === undefined ? value : `${data}\n${value}`;
    else if (name === "retry" && /^\d{1,6}$/.test(value)) retryMs = Number(value);
  }
}
