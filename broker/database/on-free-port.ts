import { createServer } from "node:net";
import { OperatorError } from "../../shared/operator-error.ts";

/** The port for the server is taken by another program. */
export class PortTaken extends OperatorError {
  constructor(port: number) {
    super(`Port ${port} on 127.0.0.1 is taken.`);
  }
}

const mostTries = 5;

/**
 * Starts a server on a free port of 127.0.0.1. Another connection on this machine may get that port before the
 * server has it: then another one is tried, a few times.
 */
export async function onFreePort<T>(
  start: (port: number) => Promise<T>,
  findPort: () => Promise<number> = findFreePort,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start(await findPort());
    } catch (error) {
      if (!(error instanceof PortTaken) || tries === mostTries) throw error;
    }
  }
}

async function findFreePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
