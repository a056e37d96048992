import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { type Log, openLog } from "../../broker/log.ts";

type DevLog = {
  readonly log: Log;
  readonly file: string;
  readonly close: () => Promise<void>;
};

type Line = {
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  readonly request_id?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
};

/** All that the broker logs goes to a file, that of the start before beside it; warnings and worse are said, too. */
export async function openDevLog(options: {
  readonly level: string;
  readonly dataDir: string;
  readonly say: (words: string) => void;
}): Promise<DevLog> {
  const file = path.join(options.dataDir, "broker.log");
  // Root's Postgres runs as another user, who has to go through this folder.
  await mkdir(options.dataDir, { recursive: true, mode: 0o711 });
  await rename(file, `${file}.old`).catch(() => {}); // there is none at the first start
  const stream = createWriteStream(file, { mode: 0o600 });
  await once(stream, "open");
  const write = (line: string) => {
    stream.write(line);
    if (/^\{"level":"(warn|error|fatal)"/.test(line)) options.say(shortened(line));
  };
  const close = async () => {
    stream.end();
    await once(stream, "close");
  };
  return { log: openLog(options.level, { write }), file, close };
}

function shortened(text: string): string {
  const line = JSON.parse(text) as Line; // written by our own logger
  const { method, route, status, request_id: id } = line;
  const asked =
    status === undefined ? line.msg : `${method} ${route} answered ${status}, request ${id}`;
  return [line.level, asked, line.err?.message].filter((part) => part !== undefined).join(": ");
}
