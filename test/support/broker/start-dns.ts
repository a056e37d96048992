import { createSocket } from "node:dgram";
import dns from "node:dns";
import { once } from "node:events";
import { afterFile } from "../run/after-file.ts";

/** What it says of a name: its name servers, that there is no such name, or nothing at all. */
export type Said = readonly string[] | "no such name" | "silence";

const letters = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** A DNS server on loopback, which the programs of this process ask from now on until the file is over; `of`: what it says of names. */
export async function startDns(
  of: Readonly<Record<string, Said>>,
): Promise<{ readonly asked: string[] }> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, from) => {
    const name = nameIn(query);
    asked.push(name);
    const said = of[name] ?? "no such name";
    if (said !== "silence") socket.send(answerTo(query, name, said), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const before = dns.getServers();
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  afterFile(async () => {
    dns.setServers(before);
    socket.close();
    await once(socket, "close");
  });
  return { asked };
}

/** The name that a query asks for; its header has twelve bytes. */
function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0; at += (query[at] ?? 0) + 1)
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join(".").toLowerCase();
}

function answerTo(query: Buffer, name: string, said: Exclude<Said, "silence">): Buffer {
  const names = said === "no such name" ? [] : said;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(said === "no such name" ? 0x8183 : 0x8180, 2); // an answer, with or without an error
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(names.length, 6);
  const question = query.subarray(12, 12 + letters(name).length + 4);
  const records = names.map((server) => {
    const data = letters(server);
    const head = Buffer.from([0xc0, 12, 0, 2, 0, 1, 0, 0, 0, 60, 0, data.length]); // NS of what was asked, for a minute
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, question, ...records]);
}
