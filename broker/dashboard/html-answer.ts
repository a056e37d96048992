import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { AppContext } from "../http/app-types.ts";

const pack = promisify(gzip);
const worthBytes = 1024;

/** A text that is compressed once, for all who are sent it. */
export type HtmlText = {
  readonly text: string;
  readonly packed: () => Promise<Uint8Array<ArrayBuffer>>;
};

/** It is compressed when the first browser wants that, and not before. */
export function htmlText(text: string): HtmlText {
  let made: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const packed = async () => new Uint8Array(await pack(text, { level: 4 }));
  return { text, packed: () => (made ??= packed()) };
}

/** A page as an answer, compressed where the browser takes that. */
export async function htmlAnswer(
  c: AppContext,
  { text, packed }: HtmlText,
  status: number,
): Promise<Response> {
  const isTaken = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  if (!isTaken || text.length < worthBytes) return c.html(text, status as 200);
  return c.body(await packed(), status as 200, {
    "content-type": "text/html; charset=utf-8",
    "content-encoding": "gzip",
    vary: "accept-encoding",
  });
}
