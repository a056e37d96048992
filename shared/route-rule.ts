import type { AuditMode } from "./audit.ts";
import type { Permission } from "./permissions.ts";
import type { QueueAct } from "./queue-acts.ts";

/**
 * Who may call a route and how its request is read. Each route object in shared/api/ holds its own rule; docs/routes.md
 * is the table of all of them.
 * - surface: who calls it. `runner` routes are lenient (unknown members are ignored, null means absent) and send errors
 *   in the shape that existing runner clients decode. `open` routes need no token.
 * - runnersRead: an open route that sends errors in the shape that runner clients decode.
 * - permission: what the caller's role must have. null only on open routes.
 * - ownRunner: a token that is bound to one runner may call it, and the handler keeps it to that runner. Without it, such
 *   a token is only let in where the path has `{runner_id}`, and only for its own runner.
 * - others: what a caller needs whose token is not bound to a runner, in place of `permission`; the handler answers it otherwise.
 * - or: who has this in place of `permission` is let in, too; the handler asks for what the owner of the thing demands.
 * - bound: a token that is bound to an app or an install may call it, and the handler shows it nothing else and changes
 *   nothing else. Without it, such a token is only let in where the path names something of its own (docs/access.md).
 * - act: what it does with the queue, or the queue of the signal or emitter, that its path names; where that is a lane, its owner's
 *   permission is asked as well (shared/queue-acts.ts). A list leaves out what the caller may not read.
 * - operatesRunner: it does something with the runner, the runner group, the install's runner or the rollout that its path names, or gives a
 *   way in there; where an install has that, `installs.operate` is asked as well, but of tokens that are bound and reach it.
 * - otlp: the body is OTLP/HTTP, protobuf or JSON. The handler reads it.
 * - maxBody: bodies over 1 MiB are allowed. streamed: the body is never whole in memory. verbatim: members whose source
 *   text the handler needs byte for byte.
 * - heldAs: of whose memory its large body takes. `configs`: it counts as a config, which is held until it is checked; without it, it
 *   counts as any large body.
 * - archive: the body may also be a tar.gz of a directory. The handler gets it as it came: what reads it is not this process.
 * - unmetered: polls and heartbeats, which arrive at a fixed rate, do not count against the rate limit.
 * - idempotent: `Idempotency-Key` is supported. `once`: the answer holds a secret and cannot be replayed. `job`: the key
 *   is stored with the job.
 * - ifMatch: a change that is only made to the version that `If-Match` names, where the request has that.
 * - stateToken: the token may also be sent as the password of HTTP Basic, or as `?token=`.
 * - ownPermit: the handler takes its permit for the database itself, because it mostly waits, reads a body, or joins a
 *   batch. All other handlers run with a permit that the gate holds.
 * - audit: how the audit log tells of its requests (shared/audit.ts), where that is not what follows from the rest
 *   (shared/audit-mode.ts).
 */
export type RouteRule = {
  readonly surface: "runner" | "control-plane" | "operator" | "open";
  readonly permission: Permission | null;
  readonly runnersRead?: true;
  readonly ownRunner?: true;
  readonly others?: Permission;
  readonly or?: Permission;
  readonly bound?: true;
  readonly act?: QueueAct;
  readonly operatesRunner?: true;
  readonly otlp?: true;
  readonly maxBody?: "16 MiB" | "64 MiB";
  readonly heldAs?: "configs";
  readonly streamed?: true;
  readonly archive?: true;
  readonly verbatim?: readonly string[];
  readonly unmetered?: true;
  readonly ifMatch?: true;
  readonly stateToken?: true;
  readonly ownPermit?: true;
  readonly idempotent?: "replay" | "once" | "job";
  readonly audit?: AuditMode;
};
