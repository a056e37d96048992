import type { Install } from "../../../shared/api/install.ts";
import type { Role } from "../../../shared/api/roles.ts";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import type { Permission } from "../../../shared/permissions.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenBoundTokens, type MadeToken } from "./given-bound-tokens.ts";

/** A queue, and what is in it. */
export type Place = {
  readonly queue_id: string;
  readonly emitter_id: string;
  readonly signal_id: string;
};

/** Who operates queues, and reads installs, but operates none. */
export const operator: readonly Permission[] = [
  "orgs.read",
  "queues.read",
  "queues.operate",
  "signals.write",
  "jobs.cancel",
  "installs.read",
  "apps.read",
];

/**
 * Lanes of an install and of its sibling, and a queue made by hand, each with an emitter and a signal that waits; a worker
 * may do with queues whatever it likes, but nothing with installs.
 */
export async function givenLanes() {
  const given = await givenBoundTokens();
  const { as, db, org, own, sibling } = given;
  const made = async <Body = { id: string }>(what: string, body: unknown): Promise<Body> => {
    const answer = await org.api<Body>(what, body);
    if (answer.status >= 300) throw new Error(`${what}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const namedQueue = async (name: string) => (await made("POST /v1/queues", { name })).id;

  /** An emitter and a signal that waits, in a paused queue. */
  async function filledQueue(queueId: string): Promise<Place> {
    await made(`POST /v1/queues/${queueId}/pause`, {});
    const schedule = { name: "by hand", mode: "cron", cron_schedule: "0 3 1 1 *" };
    const emitter = { ...schedule, signal_type: "noop", signal_template: {} };
    const { id: emitterId } = await made(`POST /v1/queues/${queueId}/emitters`, emitter);
    const { id: signalId } = await made(`POST /v1/queues/${queueId}/signals`, { type: "noop" });
    return { queue_id: queueId, emitter_id: emitterId, signal_id: signalId };
  }

  /** A dead signal in a queue that is paused. */
  async function deadIn(queueId: string, signal: object): Promise<string> {
    await made(`POST /v1/queues/${queueId}/pause`, {});
    const { id } = await made(`POST /v1/queues/${queueId}/signals`, signal);
    await die(id);
    return id;
  }

  /** A live signal is dead from now on. */
  async function die(id: string): Promise<void> {
    await made(`POST /v1/signals/${id}/cancel`, {});
    await db`update queue_signal_ends set status = 'dead' where signal_id = ${id}`;
  }

  async function laneOf(installId: string, lane: string): Promise<string> {
    const { body } = await org.api<Install>(`GET /v1/installs/${installId}`);
    const id = body.queues.find(({ name }) => name === lane)?.id;
    if (id === undefined) throw new Error(`the install has no lane ${lane}`);
    return id;
  }

  const statusOf = async (id: string): Promise<string> =>
    (await org.api<QueueSignal>(`GET /v1/signals/${id}`)).body.status.status;
  /** A caller with a role of the org that permits this. */
  async function withRole(title: string, permissions: readonly Permission[]) {
    const policies = [{ name: "all", permissions }];
    const role = await made<Role>("POST /v1/roles", { title, role_type: "org_support", policies });
    const wanted = { name: title, kind: "sa", role_id: role.id };
    const { secret } = await made<MadeToken>("POST /v1/tokens", wanted);
    return { caller: as(secret), secret, roleId: role.id };
  }
  return {
    ...given,
    made,
    namedQueue,
    deadIn,
    die,
    laneOf,
    statusOf,
    withRole,
    lane: await filledQueue(await laneOf(own.installId, "plans")),
    foreign: await filledQueue(await laneOf(sibling.installId, "plans")),
    byHand: await filledQueue(await namedQueue("by hand")),
    worker: as(await givenToken(db, { orgId: org.orgId, role: "installer" })),
  };
}
