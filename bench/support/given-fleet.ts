import type { Db } from "../../broker/database/connect.ts";
import { newId, newRandomId } from "../../broker/database/new-id.ts";
import { tokenDigest } from "../../broker/tokens/token-secret.ts";
import { mintToken } from "../../shared/token.ts";

export type FleetAgent = {
  readonly runnerId: string;
  readonly processId: string;
  readonly token: string;
};

export type Fleet = {
  readonly orgId: string;
  readonly adminToken: string;
  readonly agents: readonly FleetAgent[];
};

const group = "deploy";
const maxDepth = 10_000_000;

/** An org with so many runners, each with its token and one live process of ours that offers `slots` of group deploy. */
export async function givenFleet(db: Db, count: number, slots: number): Promise<Fleet> {
  const orgId = newId("org");
  const adminToken = mintToken("sa");
  await db`insert into orgs (id, name) values (${orgId}, 'bench')`;
  await db`
    insert into tokens (id, org_id, digest, hint, kind, token_type, role_type)
    values (${newId("tok")}, ${orgId}, ${tokenDigest(adminToken)}, '', 'sa', 'svc', 'org_admin')`;
  const agents = Array.from({ length: count }, () => ({
    runnerId: newId("run"),
    processId: newRandomId("prc"),
    token: mintToken("rt"),
  }));
  for (let at = 0; at < count; at += 1_000) {
    await insertAgents(db, { orgId, slots }, agents.slice(at, at + 1_000));
  }
  // Only what has rows: of an empty table that was analysed the planner believes that it stays empty.
  await db`vacuum analyze runner_groups, runner_group_settings, runners, runner_processes, runner_process_beats,
           runner_queues, tokens`;
  return { orgId, adminToken, agents };
}

async function insertAgents(
  db: Db,
  { orgId, slots }: { orgId: string; slots: number },
  agents: readonly FleetAgent[],
): Promise<void> {
  const rows = JSON.stringify(
    agents.map(({ runnerId, processId, token }) => ({
      rgr: newId("rgr"),
      rgs: newId("rgs"),
      tok: newId("tok"),
      run: runnerId,
      prc: processId,
      digest: tokenDigest(token).toString("hex"),
    })),
  );
  await db`
    with a as materialized (
      select a.* from json_to_recordset(${rows}::text::json)
               a (rgr text, rgs text, tok text, run text, prc text, digest text)
    ), g as (
      insert into runner_groups (id, org_id, owner_id, owner_type, type, platform)
      select a.rgr, ${orgId}, a.run, 'installs', 'install', 'aws' from a
    ), s as (
      insert into runner_group_settings (id, org_id, runner_group_id, job_group_parallelism, job_group_max_depth)
      select a.rgs, ${orgId}, a.rgr, jsonb_build_object(${group}::text, ${String(slots)}::text), ${maxDepth} from a
    ), u as (
      insert into runners (id, org_id, runner_group_id, name, status) select a.run, ${orgId}, a.rgr, a.run, 'active' from a
    ), t as (
      insert into tokens (id, org_id, digest, hint, kind, token_type, runner_id, role_type)
      select a.tok, ${orgId}, decode(a.digest, 'hex'), '', 'rt', 'svc', a.run, 'runner' from a
    ), p as (
      insert into runner_processes (id, org_id, runner_id, type, version, is_ours, serves, status, first_beat_at, deadline_at)
      select a.prc, ${orgId}, a.run, 'install', '1.0.0', true, jsonb_build_object(${group}::text, ${slots}::int), 'active',
             svc_now(), svc_now() + interval '60 s' + random() * interval '60 s' from a
    ), b as (
      insert into runner_process_beats (process_id, org_id, runner_id, last_seen_at, last_beat_at, beats)
      select a.prc, ${orgId}, a.run, svc_now(), svc_now(), 1 from a
    )
    insert into runner_queues (runner_id, job_group, org_id, parallelism, max_depth, offered, slots)
    select a.run, ${group}, ${orgId}, ${slots}::int, ${maxDepth}, ${slots}::int, ${slots}::int from a`;
}
