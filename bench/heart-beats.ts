import { mkdtemp, chmod, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, type Db } from "../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../broker/database/embedded.ts";
import { migrate } from "../broker/database/migrate.ts";
import { newId, newRandomId } from "../broker/database/new-id.ts";
import { tokenDigest } from "../broker/tokens/token-digest.ts";
import { mintToken } from "../shared/token.ts";
import { type BeatClients, openBeatClients } from "./support/beat-clients.ts";
import { startBrokerProcess } from "./support/broker-process.ts";
import { cpuSeconds } from "./support/process-cpu.ts";

const processCount = Number(process.env["BENCH_PROCESSES"] ?? 20_000);
const connections = processCount / 2; // half the files a process may open here
const everyS = 5;
const warmUpS = 15;
const measuredS = 30;
const tickMs = 5;

type Figures = {
  readonly beats_per_s: number;
  readonly broker_core: number;
  readonly postgres_core: number;
  readonly total_core: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly refused: number;
};

/** CPU of one broker and its Postgres while 20,000 agents of ours beat every 5 s; shares of one core. */
export async function heartBeats(): Promise<Figures> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  await chmod(dataDir, 0o711); // as root, Postgres runs as another user, who has to go through
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    await migrate(postgres.url);
    const requests = await givenAgents(postgres.url);
    const broker = await startBrokerProcess(postgres.url);
    const clients = await openBeatClients(broker.url, requests, connections);
    await beatFor(clients, warmUpS);
    clients.take();
    const before = [cpuSeconds(broker.pid), cpuSeconds(postgres.pid)] as const;
    const startedAtMs = performance.now();
    await beatFor(clients, measuredS);
    const tookS = (performance.now() - startedAtMs) / 1000;
    const brokerCore = (cpuSeconds(broker.pid) - before[0]) / tookS;
    const postgresCore = (cpuSeconds(postgres.pid) - before[1]) / tookS;
    const { latenciesMs, refused } = clients.take();
    clients.close();
    await broker.stop();
    return {
      beats_per_s: Math.round(latenciesMs.length / tookS),
      broker_core: rounded(brokerCore),
      postgres_core: rounded(postgresCore),
      total_core: rounded(brokerCore + postgresCore),
      p50_ms: quantile(latenciesMs, 0.5),
      p99_ms: quantile(latenciesMs, 0.99),
      refused,
    };
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A runner, a token and a live process for each agent; answers their beats as they go over the wire. */
async function givenAgents(url: string): Promise<Buffer[]> {
  const db = connect(url);
  const orgId = newId("org");
  await db`insert into orgs (id, name) values (${orgId}, 'bench')`;
  const agents = Array.from({ length: processCount }, () => ({
    group: newId("rgr"),
    settings: newId("rgs"),
    runner: newId("run"),
    process: newRandomId("prc"),
    token: mintToken("rt"),
  }));
  await insertAgents(db, orgId, agents);
  await db`vacuum analyze`;
  await db.end();
  return agents.map(({ runner, process, token }) => {
    const body = JSON.stringify({
      alive_time: 5_000_000_000,
      version: "1.0.0",
      process: "install",
      process_id: process,
      executions: [],
    });
    return Buffer.from(
      `POST /v1/runners/${runner}/heart-beats HTTP/1.1\r\nhost: broker\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });
}

type Agent = { group: string; settings: string; runner: string; process: string; token: string };

async function insertAgents(db: Db, orgId: string, agents: readonly Agent[]): Promise<void> {
  const rows = JSON.stringify(
    agents.map(({ token, ...agent }) => ({
      ...agent,
      tok: newId("tok"),
      digest: tokenDigest(token).toString("hex"),
    })),
  );
  await db`
    with a as materialized (
      select a.* from json_to_recordset(${rows}::text::json)
               a ("group" text, settings text, runner text, process text, tok text, digest text)
    ), g as (
      insert into runner_groups (id, org_id, owner_id, owner_type, type, platform)
      select a.group, ${orgId}, a.runner, 'installs', 'install', 'aws' from a
    ), s as (
      insert into runner_group_settings (id, org_id, runner_group_id) select a.settings, ${orgId}, a.group from a
    ), u as (
      insert into runners (id, org_id, runner_group_id, name) select a.runner, ${orgId}, a.group, a.runner from a
    ), t as (
      insert into tokens (id, org_id, digest, hint, kind, token_type, runner_id, role_type)
      select a.tok, ${orgId}, decode(a.digest, 'hex'), '', 'rt', 'svc', a.runner, 'runner' from a
    ), p as (
      insert into runner_processes (id, org_id, runner_id, type, version, is_ours, serves, status, first_beat_at,
                                    deadline_at)
      select a.process, ${orgId}, a.runner, 'install', '1.0.0', true, '{"deploy": 1}', 'active', svc_now(),
             svc_now() + random() * interval '60 s' from a
    )
    insert into runner_process_beats (process_id, org_id, runner_id, last_seen_at)
    select a.process, ${orgId}, a.runner, svc_now() from a`;
}

/** An open loop: beats are sent when they are due, whatever the broker makes of it. */
async function beatFor(clients: BeatClients, seconds: number): Promise<void> {
  const startedAtMs = performance.now();
  let sent = 0;
  for (;;) {
    const elapsedS = (performance.now() - startedAtMs) / 1000;
    if (elapsedS >= seconds) return;
    const due = Math.floor((elapsedS * processCount) / everyS);
    clients.beat(due - sent);
    sent = due;
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return rounded(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await heartBeats())}\n`);
