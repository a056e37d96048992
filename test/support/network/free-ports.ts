import { once } from "node:events";
import net from "node:net";

/**
 * Ports of the loopback for programs that cannot choose one themselves. They are below those that the kernel gives to
 * who asks for any, so that nobody gets one between our look and the program's start.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (!found.includes(port) && (await isFree(port))) found.push(port);
  }
  return found;
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer();
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
