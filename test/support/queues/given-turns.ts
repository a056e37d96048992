import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { Seals } from "../../../broker/seals/seals.ts";
import { aSignal, fileSignals, type GivenQueue, givenSignal } from "./given-signals.ts";

type Contents = Readonly<Record<string, unknown>>;

/** The members of a signal that a broker executes, sealed as the API does. */
export function aTurn(seals: Seals, queue: GivenQueue, type: string, contents: Contents) {
  const id = newId("sig");
  const thing = { orgId: queue.orgId as string, id, part: "signal" };
  return { id, type, runs: "task", task: "run-signal", ...sealed(seals, thing, contents) };
}

/** Files a signal that a broker executes; answers its id. */
export async function givenTurn(
  db: Db,
  seals: Seals,
  turn: {
    readonly queue: GivenQueue;
    readonly type: string;
    readonly contents: Contents;
    readonly members?: Readonly<Record<string, unknown>>;
  },
): Promise<string> {
  const { queue, type, contents, members } = turn;
  return await givenSignal(db, queue, { ...aTurn(seals, queue, type, contents), ...members });
}

/** Files so many of one kind at once. */
export async function givenTurns(
  db: Db,
  seals: Seals,
  turns: { queue: GivenQueue; type: string; contents: Contents; count: number },
): Promise<void> {
  const all = Array.from({ length: turns.count }, () =>
    aSignal(turns.queue, aTurn(seals, turns.queue, turns.type, turns.contents)),
  );
  await fileSignals(db, all);
}

/** A callback that is a runner job or an HTTP call, sealed as the API does. */
export function aCallback(
  seals: Seals,
  { orgId }: GivenQueue,
  callback: { kind: "runner-job" | "http-call"; contents: Contents; statuses?: readonly string[] },
) {
  const id = newId(callback.kind === "runner-job" ? "job" : "sig");
  const statuses = callback.statuses ?? ["finished", "dead", "expired", "cancelled"];
  const thing = { orgId: orgId as string, id, part: "callback" };
  const { kind } = callback;
  return { n: 1, kind, statuses, next_id: id, ...sealed(seals, thing, callback.contents) };
}

function sealed(seals: Seals, thing: Parameters<Seals["seal"]>[0], contents: Contents) {
  const { keyId, bytes } = seals.seal(thing, Buffer.from(JSON.stringify(contents)));
  return { key_id: keyId, contents: bytes.toString("base64") };
}

export type EndedSignal = {
  readonly status: string;
  readonly description: string;
  readonly executions: number;
  readonly result: unknown;
};

/** How a signal ended, with its result opened; undefined while it lives. */
export async function endOfSignal(
  db: Db,
  seals: Seals,
  id: string,
): Promise<EndedSignal | undefined> {
  const [row] = await db<
    {
      org_id: string;
      status: string;
      status_description: string;
      execution_count: number;
      key_id: string | null;
      result: Buffer | null;
    }[]
  >`select * from queue_signal_ends where signal_id = ${id}`;
  if (row === undefined) return undefined;
  const {
    org_id: orgId,
    status,
    status_description: description,
    execution_count: executions,
  } = row;
  const thing = { orgId, id, part: "signal-result" };
  const result =
    row.result === null
      ? null
      : (JSON.parse(
          seals.open(thing, { keyId: row.key_id, bytes: row.result }).toString("utf8"),
        ) as unknown);
  return { status, description, executions, result };
}

/** The job for which a signal waits. */
export async function awaitedJob(db: Db, id: string): Promise<string> {
  const find = async (): Promise<string | null> => {
    const [row] = await db<{ job: string | null }[]>`
      select awaits_job as job from queue_signal_live where id = ${id}`;
    return row?.job ?? null;
  };
  await expect.poll(find).not.toBeNull();
  return (await find()) ?? "";
}
