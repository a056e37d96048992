import type { QueueSignal } from "../../shared/api/signal.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

type Waits = NonNullable<QueueSignal["waits"]>;
type Other = Waits["behind"][number];

type Line = {
  readonly is_paused: boolean;
  readonly max_in_flight: number;
  readonly in_flight: number;
  /** Those that have a place, the first in line first. */
  readonly holders: readonly Other[];
  readonly first: (Other & { readonly runs: string }) | null;
};

/** Why a queued signal is not executed; null when it may begin this instant, or is not queued any more. */
export async function whyQueued(db: Db, org: OrgId, id: string): Promise<Waits | null> {
  const line = await findLine(db, org, id);
  if (line === undefined) return null;
  const { first, holders, max_in_flight: most } = line;
  if (line.is_paused) {
    return { reason: "queue-paused", description: "its queue is paused", behind: [] };
  }
  if (line.in_flight >= most) {
    const places = most === 1 ? "the one place" : `all ${most} places`;
    const who = holders.map(holderWords).join("; ");
    const more = line.in_flight > holders.length ? "; and others" : "";
    const description = `${places} of its queue ${most === 1 ? "is" : "are"} taken: ${who}${more}`;
    return { reason: "no-place", description, behind: [...holders] };
  }
  if (first === null || first.runs !== "pull") return null;
  const { runs: _, ...other } = first;
  const type = `type ${first.type}`;
  return first.id === id
    ? { reason: "no-worker", description: `no worker has claimed it (${type})`, behind: [] }
    : {
        reason: "in-line",
        description: `${first.id} (${type}) is first in line, and no worker has claimed it`,
        behind: [other],
      };
}

function holderWords({ id, type, status, worker, lease_until: until }: Other): string {
  if (status === "retrying") return `${id} (${type}) keeps its place until it is tried again`;
  const lease = until === null ? "" : `, lease until ${until}`;
  return `${id} (${type}) is in flight: ${worker ?? "a worker without a name"}${lease}`;
}

/** How many of those that have a place are told. */
const mostTold = 5;

async function findLine(db: Db, org: OrgId, id: string): Promise<Line | undefined> {
  const [line] = await db<Line[]>`
    select c.is_paused, c.max_in_flight, c.in_flight,
           coalesce((select jsonb_agg(to_jsonb(h) order by h.place)
                       from (select l.place, l.id, f.type, l.status, l.worker,
                                    case when l.status = 'in-flight' then l.deadline_at end as lease_until
                               from queue_signal_live l join queue_signals f on f.org_id = l.org_id and f.id = l.id
                              where l.queue_id = c.queue_id and l.status <> 'queued' and l.has_place
                              limit ${mostTold}) h), '[]') as holders,
           (select to_jsonb(n)
              from (select l.id, f.type, l.status, l.worker, null as lease_until, l.runs
                      from queue_signal_live l join queue_signals f on f.org_id = l.org_id and f.id = l.id
                     where l.queue_id = c.queue_id and l.status = 'queued' order by l.place limit 1) n) as first
      from queue_signal_live s join queue_counters c on c.queue_id = s.queue_id
     where s.id = ${id} and s.org_id = ${org} and s.status = 'queued'`;
  return line && { ...line, holders: line.holders.map(asTold) };
}

/** Postgres writes instants of its JSON in its own way. */
function asTold({ id, type, status, worker, lease_until: until }: Other): Other {
  const lease = until === null ? null : new Date(until).toISOString();
  return { id, type, status, worker, lease_until: lease };
}
