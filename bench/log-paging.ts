import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../broker/database/connect.ts";
import { encodeChunk } from "../broker/logs/store/encode-chunk.ts";
import type { LogEntry } from "../broker/logs/store/log-record.ts";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { withStage } from "./support/stage.ts";

const wholeBytes = 1024 ** 3;
const chunkBytes = 128 * 1024;
const requests = 300;
const streamId = "lgs_00000000000000000000000000";
const startUs = Date.UTC(2026, 0, 1) * 1000;
const perRecordUs = 1000;

type Filled = { readonly records: number; readonly bytes: number; readonly adminToken: string };

/**
 * One log of a gigabyte, before compression; pages of 100 records from random cursors, from random instants, and
 * backwards, one after the other over one connection.
 */
export const logPaging: Bench = {
  what: "pages of 100 records from any point of a 1 GB log",
  run: async ({ scale }, tell) => {
    const filled: Filled[] = [];
    const fill = async (db: Db): Promise<void> => {
      filled.push(await fillLog(db, wholeBytes * scale));
    };
    await withStage(
      async ({ startBroker }) => {
        const [log] = filled;
        if (log === undefined) throw new Error("the log was not filled");
        const broker = await startBroker();
        const connection = await openConnection(broker.url);
        const note = `${Math.round(log.bytes / 1024 ** 2)} MiB, ${log.records} records`;
        for (const [figure, queryAt] of Object.entries(ways)) {
          await pagesMs(connection, log, queryAt, requests / 10);
          await sleep(500);
          const ms = await pagesMs(connection, log, queryAt, requests);
          tell({
            figure: `${figure}, p99`,
            value: quantile(ms, 0.99),
            unit: "ms",
            target: { atMost: 50 },
            note: `p50 ${quantile(ms, 0.5).toFixed(1)}, max ${Math.max(...ms).toFixed(1)} ms; ${note}`,
          });
        }
        connection.close();
      },
      { fill },
    );
  },
};

const instantAt = (position: number): string =>
  new Date((startUs + position * perRecordUs) / 1000).toISOString();

const ways: Readonly<Record<string, (position: number) => string>> = {
  "from a cursor": (position) => `cursor=${position}`,
  "from an instant": (position) => `since=${instantAt(position)}`,
  backwards: (position) => `direction=backward&cursor=${position}`,
};

async function pagesMs(
  connection: Connection,
  { records, adminToken }: Filled,
  queryAt: (position: number) => string,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const position = 101 + Math.floor(Math.random() * (records - 201));
    const what = `GET /v1/log-streams/${streamId}/logs?limit=100&${queryAt(position)}`;
    const startedAtMs = performance.now();
    const { status, body } = await connection.send(requestText(what, adminToken));
    times.push(performance.now() - startedAtMs);
    const found = body.split('"cursor":').length - 1;
    if (status !== 200 || found !== 100) throw new Error(`${what}: ${status}, ${found} records`);
  }
  return times;
}

/** Chunks as an append would make them, without the way through a broker. */
async function fillLog(db: Db, wantedBytes: number): Promise<Filled> {
  const { orgId, adminToken } = await givenFleet(db, 1, 1);
  const day = new Date().toISOString().slice(0, 10);
  let [position, bytes] = [1, 0];
  while (bytes < wantedBytes) {
    const chunk = await encodeChunk(entriesFrom(position));
    const [firstAt, lastAt] = [chunk.firstAtUs, chunk.lastAtUs].map((us) => new Date(us / 1000));
    await db`
      insert into log_chunks (day, org_id, stream_id, position, records, bytes, first_at, last_at, min_severity,
                              max_severity, steps, codec, body, received_at)
      values (${day}, ${orgId}, ${streamId}, ${position}, ${chunk.records}, ${chunk.bytes}, ${firstAt ?? null},
              ${lastAt ?? null}, ${chunk.minSeverity}, ${chunk.maxSeverity}, ${[...chunk.steps]}, 'zstd',
              ${chunk.body}, svc_now())`;
    position += chunk.records;
    bytes += chunk.bytes;
  }
  const records = position - 1;
  await db`
    insert into log_streams (id, org_id, owner_id, owner_type, created_at, next_position, records, bytes, first_day, last_day)
    values (${streamId}, ${orgId}, 'bench', 'benches', svc_now(), ${position}, ${records}, ${bytes}, ${day}, ${day})`;
  return { records, bytes, adminToken };
}

function entriesFrom(position: number): LogEntry[] {
  const entries: LogEntry[] = [];
  for (let bytes = 0, at = position; bytes < chunkBytes; at++) {
    const body = `module.network.aws_subnet.private[${at % 97}]: Still creating... [${at}s elapsed, ${at * 7919}]`;
    bytes += body.length + 20;
    entries.push({
      atUs: startUs + at * perRecordUs,
      severity: 9,
      body,
      seq: at,
      executionId: "exe_00000000000000000000000000",
      step: "apply",
      resource: {},
      attributes: {},
    });
  }
  return entries;
}
