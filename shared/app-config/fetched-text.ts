import { configLimits } from "./config-fault.ts";
import type { FileFault } from "./file-fault.ts";

/** A text that was fetched, and the SHA-256 of the bytes that came, in hexadecimal. */
export type FetchedText = { readonly text: string; readonly sha256: string };

/** Fetches the text of a URL, or says why it cannot be had. */
export type FetchText = (url: string) => Promise<FetchedText | FileFault>;

/** How many URLs a config may have texts from, and how many of them are fetched at once. */
const mostUrls = 200;
const atOnce = 8;

/** Whether a text is but a URL, whose text is meant. */
export const isUrl = (text: string): boolean =>
  /^https?:\/\//i.test(text) && !text.trim().includes("\n");

/** Fetches the texts of URLs, each once. */
export async function fetchTexts(
  urls: ReadonlySet<string>,
  fetch: FetchText,
): Promise<ReadonlyMap<string, FetchedText | FileFault>> {
  const found = new Map<string, FetchedText | FileFault>();
  const open = [...urls];
  for (const url of open.splice(mostUrls)) found.set(url, tooMany);
  let bytes = 0;
  const work = async (): Promise<void> => {
    for (let url = open.shift(); url !== undefined; url = open.shift()) {
      const text = bytes > configLimits.unpackedBytes ? tooLarge : await fetch(url);
      if ("text" in text) bytes += Buffer.byteLength(text.text);
      found.set(url, text);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return found;
}

const tooLarge: FileFault = {
  code: "config_too_costly",
  detail: `is not fetched: a config has at most ${configLimits.unpackedBytes / 2 ** 20} MiB`,
};

const tooMany: FileFault = {
  code: "config_too_costly",
  detail: `is not fetched: a config has texts from at most ${mostUrls} URLs`,
};
