import { newId } from "../broker/database/new-id.ts";
import { type Connection, openConnections, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { type Fleet, givenFleet } from "./support/given-fleet.ts";
import {
  type Contestant,
  inTurns,
  loadGenerator,
  medianRate,
  ratio,
  serversCpuUs,
} from "./support/in-turns.ts";
import { expectStatus, liveOnce, plan } from "./support/lives.ts";
import { runClients } from "./support/run-clients.ts";
import { type Stage, withStage } from "./support/stage.ts";

const clients = 64;
const slots = 10;
const signalBody = `{"type":"deploy","owner_id":"own_1","owner_type":"installs","signal":${plan}}`;

type Client<Of> = { readonly connection: Connection; readonly of: Of };
type Server = { readonly url: string; readonly pid: number };

/**
 * Signals enqueued, claimed and completed over HTTP, one call each, by 64 clients at queues of their own; in turns with whole
 * lives of jobs by as many clients at as many runners, at the same broker.
 */
export const signalsSingle: Bench = {
  what: "signals enqueued, claimed and completed over HTTP, against jobs' lives",
  run: async (options, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, clients, slots);
      const queues = await givenQueues(stage, fleet);
      const broker = await stage.startBroker();
      const connections = await openConnections(broker.url, clients);
      const withConnection = <Of>(all: readonly Of[]): Client<Of>[] =>
        all.map((of, at) => ({ of, connection: connections[at] as Connection })); // as many were opened
      const { jobs, signals } = await inTurns(
        {
          jobs: contestant(stage, broker, withConnection(fleet.agents), ({ connection, of }) =>
            liveOnce({ connection, agent: of, adminToken: fleet.adminToken }),
          ),
          signals: contestant(stage, broker, withConnection(queues), (client) =>
            signalOnce(client, fleet.adminToken),
          ),
        },
        options,
      );
      tell({ figure: "lives of jobs", value: medianRate(jobs), unit: "lives/s" });
      tell({ figure: "signals", value: medianRate(signals), unit: "signals/s" });
      const target = { atLeast: 1 };
      tell({ figure: "signals ÷ lives", ...ratio(signals, jobs), unit: "×", target });
      for (const [name, turns] of Object.entries({ "a life": jobs, "a signal": signals })) {
        const parts = Object.entries(turns.cpuUs).map(([of, us]) => `${of} ${Math.round(us)}`);
        tell({
          figure: `CPU of ${name}, broker and Postgres`,
          value: serversCpuUs(turns),
          unit: "µs",
          note: parts.join(", "),
        });
      }
      for (const { close } of connections) close();
      await broker.stop();
    });
  },
};

function contestant<Of>(
  { postgresPid }: Stage,
  { pid }: Server,
  all: readonly Client<Of>[],
  act: (client: Client<Of>) => Promise<void>,
): Contestant {
  return {
    work: (seconds) => runClients(all, seconds, act),
    pids: { broker: pid, Postgres: postgresPid, [loadGenerator]: process.pid },
  };
}

async function givenQueues({ db }: Stage, { orgId }: Fleet): Promise<string[]> {
  const ids = Array.from({ length: clients }, () => newId("que"));
  for (const id of ids) {
    await db`
      select create_queue(${orgId}, ${id}, ${id}, '', '', 10000, ${slots}, 0, '{}', ${clients}, 'bench')`;
  }
  return ids;
}

/** A signal's whole life in three calls; throws when any of them is not answered as it should be. */
async function signalOnce({ connection, of: queueId }: Client<string>, token: string) {
  const path = `/v1/queues/${queueId}/signals`;
  const send = (what: string, body: string) => connection.send(requestText(what, token, body));
  expectStatus(await send(`POST ${path}`, signalBody), 201);
  const claim = await send(`POST ${path}/claim`, '{"worker":"bench"}');
  expectStatus(claim, 200);
  const { signals } = JSON.parse(claim.body) as { signals: { id: string; lease_id: string }[] };
  const [signal] = signals;
  if (signal === undefined) throw new Error(`nothing was claimed: ${claim.body}`);
  const done = `{"lease_id":"${signal.lease_id}","result":{"url":"https://example.com"}}`;
  expectStatus(await send(`POST ${path}/${signal.id}/complete`, done), 200);
}
