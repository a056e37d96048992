import { randomBytes } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { SeenRequest } from "../network/fault-proxy.ts";

/** A word that nobody but its job may know, and what betrays it. */
export type SecretWord = {
  readonly plain: string;
  /** Which of the requests show it, as `METHOD path`. */
  readonly onWire: (requests: readonly SeenRequest[]) => string[];
  /** Which of the folder's files show it, in their names or bytes. */
  readonly onDisk: (folder: string) => Promise<string[]>;
  readonly isIn: (text: string | Buffer) => boolean;
};

/** A new word, the same in no two tests: known as a secret by its looks, unless signs are put into it. */
export function secretWord(signs = ""): SecretWord {
  const plain = `Zq7${signs}${randomBytes(15).toString("hex")}xK9`;
  const bytes = Buffer.from(plain);
  // Of the base64 after one or two other bytes, what does not depend on them.
  const shifted = ["", ".", ".."].map((before) => Buffer.from(before + plain).toString("base64"));
  const traces = [
    plain,
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    encodeURIComponent(plain),
    JSON.stringify(plain).slice(1, -1),
    ...shifted.map((text) => text.slice(4, -4)),
    plain.replaceAll(/[&"'/<>]/g, (sign) => `&#${sign.charCodeAt(0)};`),
    plain.replaceAll("'", "''"),
    ...["$&:", "\\x$&", "%$&"].map((form) => bytes.toString("hex").replaceAll(/..(?=.)/g, form)),
    Buffer.from(bytes.toString("base64")).toString("base64").slice(0, -4),
    Buffer.from(plain, "utf16le").toString("base64").slice(0, -4),
  ];
  const isIn = (text: string | Buffer): boolean => {
    const whole = typeof text === "string" ? text : text.toString("latin1");
    return traces.some((trace) => whole.includes(trace));
  };
  const shows = ({ path: at, headers, body }: SeenRequest): boolean => {
    const isPacked = headers["content-encoding"] === "gzip";
    return isIn(`${at} ${JSON.stringify(headers)}`) || isIn(isPacked ? gunzipSync(body) : body);
  };
  return {
    plain,
    isIn,
    onWire: (requests) => requests.filter(shows).map(({ method, path: at }) => `${method} ${at}`),
    onDisk: async (folder) => {
      const entries = await entriesOf(folder);
      const files = entries.filter((entry) => entry.isFile());
      const found = files.map(async ({ parentPath, name }) => {
        const file = path.join(parentPath, name);
        const bytes = await readFile(file).catch(() => Buffer.alloc(0)); // gone meanwhile
        return isIn(file) || isIn(bytes) ? [path.relative(folder, file)] : [];
      });
      return (await Promise.all(found)).flat();
    },
  };
}

/** Folders may go while they are read: then all are read again. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  for (let nth = 0; nth < 100; nth += 1) {
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  throw new Error(`${folder} does not come to rest`);
}
