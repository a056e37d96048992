import type { Db } from "../broker/database/connect.ts";
import { givenToken } from "../test/support/rows/given-token.ts";
import { givenJobs, givenRunner } from "../test/support/rows/given.ts";
import { type Connection, openConnection } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { type Contestant, inTurns, loadGenerator, medianRate, ratio } from "./support/in-turns.ts";
import { batchBytes, logBatch, type LogBatch, logLines } from "./support/log-batches.ts";
import { profiledBroker } from "./support/profile.ts";
import { runClients } from "./support/run-clients.ts";
import { withStage } from "./support/stage.ts";

const streams = 16;
const recordsAtOnce = 250;
const linesAtOnce = 100;
const handClients = 8;

type Client = { readonly connection: Connection; readonly batch: LogBatch };

/**
 * Sixteen senders, each with a stream of its own and one request under way, 250 numbered records of about 400 bytes in
 * each, as protobuf; beside it the same lines as rows of a plain table, a hundred to an insert, by hand.
 */
export const logIntake: Bench = {
  what: "logs through one broker over HTTP, beside rows inserted by hand, a hundred lines at a time",
  run: async (options, tell) => {
    await withStage(async ({ db, postgresPid, startBroker }) => {
      const { url, pid, stop } = await startBroker({
        ...profiledBroker(options),
        SVC_LOG_STREAM_KIB_PER_S: "0",
        SVC_LOG_ORG_KIB_PER_S: "0",
        SVC_LOG_STREAM_MIB: "65536",
      });
      const clients = await openSenders(db, url);
      const { ours, byHand } = await inTurns(
        {
          ours: {
            work: times(recordsAtOnce, (seconds) => runClients(clients, seconds, send)),
            pids: { broker: pid, Postgres: postgresPid, [loadGenerator]: process.pid },
          },
          byHand: { work: times(linesAtOnce, await openHands(db)), pids: {} },
        },
        options,
      );
      for (const { connection } of clients) connection.close();
      await requireStored(db, clients);
      await stop();

      for (const [name, value] of Object.entries(ours.cpuUs)) {
        tell({ figure: `CPU of a record: ${name}`, value, unit: "µs" });
      }
      const recordsPerS = medianRate(ours);
      const mbPerS = (recordsPerS * batchBytes(recordsAtOnce)) / recordsAtOnce / 1e6;
      tell({ figure: "records", value: recordsPerS, unit: "/s", target: { atLeast: 50_000 } });
      tell({ figure: "on the wire", value: mbPerS, unit: "MB/s", target: { atLeast: 20 } });
      tell({ figure: "rows by hand, 100 an insert", value: medianRate(byHand), unit: "/s" });
      const target = { atLeast: 0.25 };
      tell({ figure: "ours / by hand", ...ratio(ours, byHand), unit: "×", target });
    });
  },
};

/** An act that does so many at once. */
function times(each: number, work: Contestant["work"]): Contestant["work"] {
  return async (forS) => {
    const { count, seconds } = await work(forS);
    return { count: count * each, seconds };
  };
}

async function openSenders(db: Db, url: string): Promise<Client[]> {
  const runner = await givenRunner(db);
  const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
  const jobIds = await givenJobs(
    db,
    runner,
    Array.from({ length: streams }, () => ({})),
  );
  return Promise.all(
    jobIds.map(async (jobId) => ({
      connection: await openConnection(url),
      batch: logBatch({ jobId, token, records: recordsAtOnce }),
    })),
  );
}

async function send({ connection, batch }: Client): Promise<void> {
  const { status, body } = await connection.send(batch.next());
  if (status !== 201) throw new Error(`a batch was answered ${status}: ${body}`);
}

/** What was answered 201 is there. */
async function requireStored(db: Db, clients: readonly Client[]): Promise<void> {
  const sent = clients.reduce((sum, { batch }) => sum + batch.sent(), 0);
  const [row] = await db<
    { records: number }[]
  >`select sum(records)::float8 as records from log_chunks`;
  if (row?.records !== sent)
    throw new Error(`${sent} records were sent, ${row?.records} are stored`);
}

/** Clients that insert rows of a plain table. */
async function openHands(db: Db): Promise<Contestant["work"]> {
  await db`
    create table lines_by_hand (id bigint generated always as identity primary key, stream_id text not null,
                                seq bigint not null, at timestamptz not null, severity int not null, body text not null)`;
  const clients = Array.from({ length: handClients }, (_, n) => ({
    stream: `stream-${n}`,
    seq: 0,
  }));
  const lines = logLines(linesAtOnce);
  const insert = async (client: { stream: string; seq: number }): Promise<void> => {
    const seqs = lines.map((_, at) => client.seq + at);
    client.seq += lines.length;
    await db`
      insert into lines_by_hand (stream_id, seq, at, severity, body)
      select ${client.stream}, l.seq, svc_now(), 9, l.body
        from unnest(${seqs}::bigint[], ${lines}::text[]) l (seq, body)`;
  };
  return (seconds) => runClients(clients, seconds, insert);
}
