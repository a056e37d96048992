import type { CustomFetch } from "openid-client";

const mostBytes = 1024 * 1024;

/** `fetch`, for answers of a reasonable size: a longer one is an error before all of it is read. */
export const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const read: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  for await (const part of read) {
    bytes += part.byteLength;
    if (bytes > mostBytes) throw new Error("The answer is too long.");
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  const body = bytes === 0 ? null : Buffer.concat(parts);
  const whole = new Response(body, { status, statusText, headers });
  Object.defineProperty(whole, "url", { value: response.url });
  return whole;
};
