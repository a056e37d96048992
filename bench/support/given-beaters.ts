import type { Db } from "../../broker/database/connect.ts";
import { newId, newRandomId } from "../../broker/database/new-id.ts";
import { tokenDigest } from "../../broker/tokens/token-secret.ts";
import { mintToken } from "../../shared/token.ts";

type Beater = {
  readonly group: string;
  readonly settings: string;
  readonly runner: string;
  readonly process: string;
  readonly token: string;
};

/** A runner, a token and a live process of ours for each; answers their beats as they go over the wire. */
export async function givenBeaters(db: Db, count: number): Promise<Buffer[]> {
  const orgId = newId("org");
  await db`insert into orgs (id, name) values (${orgId}, 'bench')`;
  const beaters = Array.from({ length: count }, () => ({
    group: newId("rgr"),
    settings: newId("rgs"),
    runner: newId("run"),
    process: newRandomId("prc"),
    token: mintToken("rt"),
  }));
  await insert(db, orgId, beaters);
  await db`vacuum analyze`;
  return beaters.map(toRequest);
}

function toRequest({ runner, process, token }: Beater): Buffer {
  const body = JSON.stringify({
    alive_time: 5_000_000_000,
    version: "1.0.0",
    process: "install",
    process_id: process,
    executions: [],
    settings_version: 1,
  });
  return Buffer.from(
    `POST /v1/runners/${runner}/heart-beats HTTP/1.1\r\nhost: broker\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

async function insert(db: Db, orgId: string, beaters: readonly Beater[]): Promise<void> {
  const rows = JSON.stringify(
    beaters.map(({ token, ...beater }) => ({
      ...beater,
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
