import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../broker/database/connect.ts";
import type { OrgId } from "../broker/orgs/org-id.ts";
import { givenOrg } from "../test/support/rows/given.ts";
import { givenEvents } from "../test/support/webhooks/given-events.ts";
import { givenWebhook } from "../test/support/webhooks/given-webhooks.ts";
import type { Bench, BenchOptions, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { profiledBroker, profiledSettings, resetProfile, writeProfile } from "./support/profile.ts";
import { withStage } from "./support/stage.ts";

const perSecond = 200;
const few = 50;
const many = 999; // with the dead one as many as an org may have
const rounds = 5;
const patienceMs = 60_000;

/** How long an event takes from its move to its receiver, and whether one receiver that hangs holds up others. */
export const webhooks: Bench = {
  what: "events from their move's commit to the receiver, 200 a second; beside a receiver that hangs",
  run: async (options, tell) => {
    await withStage(
      async ({ db, startBroker }) => {
        await startBroker(profiledBroker(options));
        const receiver = await startReceiver();
        try {
          await toFew({ db, receiver, options }, tell);
          await besideTheDead({ db, receiver, options }, tell);
        } finally {
          receiver.close();
        }
      },
      { settings: profiledSettings(options) },
    );
  },
};

type Parts = { readonly db: Db; readonly receiver: Receiver; readonly options: BenchOptions };
type Target = { readonly orgId: OrgId; readonly installs: readonly string[] };

async function toFew({ db, receiver, options }: Parts, tell: Tell): Promise<void> {
  const target = await givenTargets(db, few, receiver.url);
  await send({ db, receiver }, target, options.warmUpS);
  await resetProfile(db, options);
  const ms = await send({ db, receiver }, target, options.seconds);
  await writeProfile(db, options, "webhooks");
  const note = `${ms.length} events, ${few} webhooks, each event for one of them`;
  tell({ figure: "event → receiver, p50", value: quantile(ms, 0.5), unit: "ms", note });
  const target95 = { atMost: 100 };
  tell({
    figure: "event → receiver, p95",
    value: quantile(ms, 0.95),
    unit: "ms",
    target: target95,
  });
}

/** In turns: a tenth more events go to a webhook that is well, or to one whose receiver accepts connections and answers nothing. */
async function besideTheDead({ db, receiver, options }: Parts, tell: Tell): Promise<void> {
  const count = Math.max(few, Math.round(many * options.scale));
  const target = await givenTargets(db, count, receiver.url);
  const dead = "ins_dead";
  const hanging = await givenWebhook(db, { orgId: target.orgId, url: receiver.deadUrl });
  await setMatch(db, hanging, dead);
  await send({ db, receiver }, target, options.warmUpS);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const p95 = { alone: 0, beside: 0 };
    const order = round % 2 === 0 ? (["alone", "beside"] as const) : (["beside", "alone"] as const);
    for (const which of order) {
      const own = which === "alone" ? target.installs.slice(0, 1) : [dead];
      const ms = await send({ db, receiver }, target, options.seconds / rounds, own);
      p95[which] = quantile(ms, 0.95);
    }
    ratios.push(p95.beside / p95.alone);
  }
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const note = `${least.toPrecision(2)}–${most.toPrecision(2)} in ${rounds} rounds, ${count} webhooks`;
  const value = quantile(ratios, 0.5);
  tell({
    figure: "p95 beside a dead receiver ÷ without",
    value,
    unit: "×",
    note,
    target: { atMost: 1.1 },
  });
}

/** Webhooks of one org, each for the events of an install of its own. */
async function givenTargets(db: Db, count: number, url: string): Promise<Target> {
  const orgId = await givenOrg(db);
  const installs: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const install = `ins_${at}`;
    await setMatch(db, await givenWebhook(db, { orgId, url: `${url}${orgId}/${at}` }), install);
    installs.push(install);
  }
  return { orgId, installs };
}

async function setMatch(db: Db, id: string, install: string): Promise<void> {
  const match = JSON.stringify({ installs: { ids: [install] } });
  await db`update webhooks set match = ${match} where id = ${id}`;
}

/** Moves at a steady rate, whatever becomes of them; how long each event took to its receiver. Of `besides` nothing arrives. */
async function send(
  { db, receiver }: Pick<Parts, "db" | "receiver">,
  { orgId, installs }: Target,
  seconds: number,
  besides: readonly string[] = [],
): Promise<number[]> {
  const waiting: Promise<number>[] = [];
  const beganAt = performance.now();
  const count = Math.round(seconds * perSecond);
  for (let nth = 0; nth < count; nth += 1) {
    const waitMs = beganAt + (nth * 1000) / perSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    waiting.push(move(db, receiver, orgId, installs[nth % installs.length] ?? ""));
    if (nth % 10 === 0) for (const one of besides) void write(db, orgId, one, `wfl_dead${nth}`);
  }
  return await Promise.all(waiting);
}

let moves = 0;

async function move(db: Db, receiver: Receiver, orgId: OrgId, install: string): Promise<number> {
  const workflowId = `wfl_bench${(moves += 1)}`;
  const arrived = receiver.expect(workflowId);
  await write(db, orgId, install, workflowId);
  const committedAt = performance.now();
  return Math.max(0, (await arrived) - committedAt);
}

async function write(db: Db, orgId: OrgId, install: string, workflowId: string): Promise<void> {
  const entities = [{ kind: "installs" as const, id: install, labels: {} }];
  await givenEvents(db, [{ orgId, workflowId, entities }]);
}

type Receiver = {
  readonly url: string;
  /** Of a server that accepts connections and answers nothing. */
  readonly deadUrl: string;
  /** When the event of this workflow arrives. */
  readonly expect: (workflowId: string) => Promise<number>;
  readonly close: () => void;
};

async function startReceiver(): Promise<Receiver> {
  const awaited = new Map<string, (at: number) => void>();
  const server = createServer((request, response) => {
    const at = performance.now();
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      response.writeHead(204).end();
      const [, id = ""] = /"id":"(wfl_bench\d+)"/.exec(Buffer.concat(parts).toString()) ?? [];
      awaited.get(id)?.(at);
      awaited.delete(id);
    });
  });
  const dead = createServer(() => {});
  return {
    url: await listen(server),
    deadUrl: await listen(dead),
    expect: async (workflowId) =>
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("an event never arrived")), patienceMs);
        awaited.set(workflowId, (at) => {
          clearTimeout(timer);
          resolve(at);
        });
      }),
    close: () => {
      for (const one of [server, dead]) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}/`;
}
