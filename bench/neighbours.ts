import { type Connection, openConnection, openConnections, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { jobBody } from "./support/lives.ts";
import { withStage } from "./support/stage.ts";

const attackers = 150;

type Abuse = { readonly name: string; readonly request: string };
type Times = { readonly read: number[]; readonly enqueue: number[] };

/**
 * How long one org waits while another's 150 clients ask without a pause for what needs one and the same row: each abuse
 * in turn with the same time without it, so that what the machine does besides is on both sides.
 */
export const neighbours: Bench = {
  what: "latency of one org's requests while another's 150 clients fight for one row; registrations a second",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async ({ db, startBroker }) => {
      const [loud, quiet] = [await givenFleet(db, 1, 10), await givenFleet(db, 1, 10)];
      // What is bounded by number is not what is measured here.
      const broker = await startBroker({ SVC_MAX_PROCESSES_PER_RUNNER: "0" });
      const connection = await openConnection(broker.url);
      const storm = await openConnections(broker.url, attackers);
      await listen(connection, quiet, warmUpS);
      for (const { name, request } of await abuses(connection, loud)) {
        const alone = await listen(connection, quiet, seconds);
        const ending = new AbortController();
        const over = Promise.all(storm.map((one) => repeat(one, request, ending.signal)));
        const beside = await listen(connection, quiet, seconds);
        ending.abort();
        const answered = (await over).flat();
        const done = answered.filter((status) => status < 300).length / seconds;
        const refused = answered.filter((status) => status === 429 || status === 409).length;
        const note = `${done.toFixed(0)} done a second, ${refused} of ${answered.length} refused`;
        for (const kind of ["read", "enqueue"] as const) {
          const [p50, p95] = [quantile(beside[kind], 0.5), quantile(beside[kind], 0.95)];
          const ms = `p50 ${p50.toFixed(1)} ms beside it, ${quantile(alone[kind], 0.5).toFixed(1)} ms alone; p95 ${p95.toFixed(1)} ms`;
          const value = p50 / quantile(alone[kind], 0.5);
          tell({
            figure: `${kind} beside ${name}, p50 ÷ alone`,
            value,
            unit: "×",
            note: `${ms}; ${note}`,
          });
        }
      }
      for (const one of [...storm, connection]) one.close();
    });
  },
};

/** One row each: the runner's queues, the runner, a token, a key. */
async function abuses(connection: Connection, loud: Fleet): Promise<Abuse[]> {
  const [{ runnerId, token }] = loud.agents as readonly [FleetAgent]; // it was made with one
  const admin = loud.adminToken;
  const runner = `/v1/runners/${runnerId}`;
  const made = await connection.send(
    requestText("POST /v1/tokens", admin, '{"name":"t","kind":"sa","role":"org_read_only"}'),
  );
  const { id } = JSON.parse(made.body) as { id: string };
  const account = requestText(
    "POST /v1/accounts",
    admin,
    '{"name":"Ann","roles":["org_read_only"]}',
  );
  return [
    {
      name: "registrations",
      request: requestText(`POST ${runner}/processes`, token, '{"type":"install","version":"1"}'),
    },
    { name: "pauses", request: requestText(`POST ${runner}/pause`, admin, '{"note":"x"}') },
    { name: "rotations", request: requestText(`POST /v1/tokens/${id}/rotate`, admin, "{}") },
    { name: "flushes", request: requestText(`POST ${runner}/flush`, admin, "{}") },
    {
      name: "one idempotency key",
      request: account.replace("\r\n", "\r\nidempotency-key: one\r\n"),
    },
  ];
}

async function repeat(one: Connection, request: string, ending: AbortSignal): Promise<number[]> {
  const statuses: number[] = [];
  while (!ending.aborted) statuses.push((await one.send(request)).status);
  return statuses;
}

/** One read and one enqueue after the other; answers how long each took. */
async function listen(connection: Connection, quiet: Fleet, forS: number): Promise<Times> {
  const [{ runnerId }] = quiet.agents as readonly [FleetAgent]; // it was made with one
  const read = requestText(`GET /v1/runners/${runnerId}`, quiet.adminToken);
  const enqueue = requestText(`POST /v1/runners/${runnerId}/jobs`, quiet.adminToken, jobBody);
  const times: Times = { read: [], enqueue: [] };
  const untilMs = performance.now() + forS * 1000;
  while (performance.now() < untilMs) {
    for (const [kind, request, status] of [
      ["read", read, 200],
      ["enqueue", enqueue, 201],
    ] as const) {
      const startedAtMs = performance.now();
      const answer = await connection.send(request);
      times[kind].push(performance.now() - startedAtMs);
      if (answer.status !== status)
        throw new Error(`${kind} was answered ${answer.status}: ${answer.body}`);
    }
  }
  return times;
}
