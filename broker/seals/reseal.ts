import { Problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { SealedPlace } from "./sealed-place.ts";
import { sealedPlaces } from "./sealed-places.ts";
import type { Seals } from "./seals.ts";

type Parts = { readonly db: Db; readonly seals: Seals };

/** How many values were resealed, and which could not be opened. */
export type Resealed = { readonly sealed: number; readonly broken: readonly string[] };

/**
 * Seals with the newest key what older keys sealed, and what is still readable. It walks only while an older key, or
 * none, is known to have been used, and forgets that once a complete walk finds nothing and no running broker uses it.
 * Values that do not open are left unchanged, and their keys are kept. Every broker gets ten minutes to load the newest key.
 */
export async function reseal(parts: Parts, signal: AbortSignal): Promise<Resealed> {
  const newest = parts.seals.newest();
  const broken: string[] = [];
  let sealed = 0;
  if (newest === null || !(await hasOlder(parts.db, newest))) return { sealed, broken };
  for (const place of sealedPlaces) {
    for await (const id of place.due(parts.db, { newest, signal })) {
      if (await isResealed(parts, place, id)) sealed += 1;
      else broken.push(`${place.table} ${id}`);
    }
  }
  if (sealed + broken.length === 0 && !signal.aborted) await forgetOlder(parts.db, newest);
  return { sealed, broken };
}

async function hasOlder(db: Db, newest: string): Promise<boolean> {
  const [row] = await db<{ is: boolean }[]>`
    select exists (select from seal_keys where id = ${newest} and created_at < svc_now() - interval '10 minutes')
       and (exists (select from seal_keys where id <> ${newest})
            or exists (select from seal_brokers where key_id <> ${newest})) as is`;
  return row?.is === true;
}

async function isResealed(parts: Parts, place: SealedPlace, id: string): Promise<boolean> {
  try {
    await place.reseal(parts, id);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false; // this value does not open: the next one may
    throw error;
  }
}

async function forgetOlder(db: Db, newest: string): Promise<void> {
  await db`
    with living as (
      select from seal_brokers
       where seen_at > svc_now() - interval '10 minutes'
         and (key_id <> ${newest} or changed_at > svc_now() - interval '10 minutes')
    ), gone as (
      delete from seal_brokers where key_id <> ${newest} and not exists (select from living))
    delete from seal_keys where id <> ${newest} and not exists (select from living)`;
}
