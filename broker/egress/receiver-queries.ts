import type { Db } from "../database/connect.ts";

/** How many of the newest webhooks of all orgs call one origin (`https://example.com:8443`), of those that are delivered to. */
export async function listWebhookOrigins(
  db: Db,
  most: number,
): Promise<{ readonly origin: string; readonly webhooks: number }[]> {
  return db<{ origin: string; webhooks: number }[]>`
    select origin, count(*)::int as webhooks
      from (select substring(url from '^[^/]*//[^/?#]*') as origin from webhooks
             where deleted_at is null and disabled_at is null order by id desc limit ${most}) as newest
     group by origin`;
}

type CallingEmitter = {
  readonly id: string;
  readonly org_id: string;
  readonly key_id: string | null;
  readonly contents: Buffer;
};

/** Emitters of all orgs that call somebody, with their sealed templates, the newest first: a page, before an id. */
export async function listCallingEmitters(
  db: Db,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<CallingEmitter[]> {
  return db<CallingEmitter[]>`
    select id, org_id, key_id, contents from queue_emitters
     where signal_type = 'http-call' and status = 'active' and id < ${before}
     order by id desc limit ${limit}`;
}
