import { get } from "node:http";
import { gunzipSync } from "node:zlib";

/** A browser that is signed in to a broker's dashboard: it takes compressed answers and keeps its connection. */
export type Browsing = {
  /** Loads an address; throws unless it is a page. */
  readonly load: (address: string) => Promise<Loaded>;
  /** Loads what changes of a page, as one that is open does when it is told to look again. */
  readonly loadPart: (address: string) => Promise<Loaded>;
  /** Opens a stream of events and reads it until it is closed; resolves when it has begun. */
  readonly listen: (address: string, onEvent: () => void) => Promise<() => void>;
};
export type Loaded = { readonly text: string; readonly packedBytes: number };

const userAgent = "svc-bench";

/** Signs in by a link that the token may have. */
export async function signInToBrowse(url: string, token: string): Promise<Browsing> {
  const headers = { "user-agent": userAgent };
  const made = await fetch(`${url}/v1/sign-in-links`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { path } = (await made.json()) as { path: string };
  const link = new URLSearchParams(path.slice(path.indexOf("?")));
  const entered = await fetch(`${url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, "sec-fetch-site": "same-origin" },
    body: link,
  });
  const session = entered.headers.getSetCookie().find((one) => one.startsWith("svc_session="));
  const cookie = session?.split(";")[0];
  if (cookie === undefined) throw new Error(`signing in was answered ${entered.status}`);
  const own = { ...headers, cookie, "accept-encoding": "gzip" };
  return {
    load: (address) => load(url + address, own),
    loadPart: (address) => load(url + address, { ...own, "hx-request": "true" }),
    listen: (address, onEvent) => listen(url + address, own, onEvent),
  };
}

type Headers = Readonly<Record<string, string>>;

async function load(url: string, headers: Headers): Promise<Loaded> {
  return await new Promise((resolve, reject) => {
    const request = get(url, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => {
        const packed = Buffer.concat(parts);
        const isPacked = answer.headers["content-encoding"] === "gzip";
        const text = (isPacked ? gunzipSync(packed) : packed).toString();
        if (answer.statusCode === 200) resolve({ text, packedBytes: packed.length });
        else reject(new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 2000)}`));
      });
    });
    request.on("error", reject);
  });
}

async function listen(url: string, headers: Headers, onEvent: () => void): Promise<() => void> {
  return await new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`));
      answer.on("data", (part: Buffer) => {
        if (part.includes("data:")) onEvent();
      });
      answer.on("error", () => {});
      resolve(() => void request.destroy());
    });
    request.on("error", reject);
  });
}
