import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "../../broker/database/connect.ts";
import type { OrgId } from "../../broker/orgs/org-id.ts";
import { givenEvents } from "../../test/support/webhooks/given-events.ts";
import { givenWebhook } from "../../test/support/webhooks/given-webhooks.ts";

/** Receivers on the loopback: one that answers, and one that accepts calls and answers nothing. */
export type EventReceivers = {
  readonly deadUrl: string;
  /** Sends an org's events every so often until told; how long each took from its commit to the receiver, in milliseconds. */
  readonly watch: (orgId: OrgId, everyMs: number, isOver: () => boolean) => Promise<number[]>;
  readonly close: () => void;
};

const patienceMs = 120_000;
let sent = 0;

/** Opens both; the org that is watched gets its webhook. */
export async function openReceivers(db: Db, watched: OrgId): Promise<EventReceivers> {
  const awaited = new Map<string, (atMs: number) => void>();
  const well = createServer((request, response) => {
    const atMs = performance.now();
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      response.writeHead(204).end();
      const [, id = ""] = /"id":"(wfl_seen\d+)"/.exec(Buffer.concat(parts).toString()) ?? [];
      awaited.get(id)?.(atMs);
    });
  });
  const dead = createServer(() => {});
  await givenWebhook(db, { orgId: watched, url: await listen(well) });
  const one = async (orgId: OrgId): Promise<number> => {
    const workflowId = `wfl_seen${(sent += 1)}`;
    const { promise, resolve } = Promise.withResolvers<number>();
    awaited.set(workflowId, resolve);
    await givenEvents(db, [{ orgId, workflowId }]);
    const committedAtMs = performance.now();
    const limit = pause(patienceMs, committedAtMs + patienceMs, { ref: false });
    return Math.max(0, (await Promise.race([promise, limit])) - committedAtMs);
  };
  return {
    deadUrl: await listen(dead),
    watch: async (orgId, everyMs, isOver) => {
      const times: Promise<number>[] = [];
      for (; !isOver(); await pause(everyMs)) times.push(one(orgId));
      return await Promise.all(times);
    },
    close: () => {
      for (const server of [well, dead]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}/`;
}
