import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";
import { afterFile } from "../run/after-file.ts";

/** A DNS server on the loopback that knows these names; of others it says that there are none. Answers its address and what it was asked. */
export async function startNameServer(
  names: Readonly<Record<string, readonly string[]>>,
): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const socket = createSocket("udp4", (query, from) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const known = names[name];
    const found = (known ?? []).filter((one) => (isIPv4(one) ? type === 1 : type === 28));
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(found.length, 6);
    const answers = found.map((one) => recordOf(type, one));
    socket.send(
      Buffer.concat([head, query.subarray(12, end), ...answers]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  afterFile(async () => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + size));
    at += size + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** The name is a pointer to the question's; it is good for a second. */
function recordOf(type: number, address: string): Buffer {
  const bytes = type === 1 ? address.split(".").map(Number) : bytesOfV6(address);
  return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length, ...bytes]);
}

/** All eight groups have to be there. */
function bytesOfV6(address: string): number[] {
  return address.split(":").flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}
