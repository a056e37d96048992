import type { UserJourney } from "../../shared/api/user-journey.ts";
import type { Db } from "../database/connect.ts";

type Kind = "journey" | "waitlist";
export type AccountRecord = {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly contents: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
  readonly updated_at: Date;
};

export type NewRecord = {
  readonly id: string;
  readonly kind: Kind;
  readonly name: string;
  readonly contents: object;
  /** So many of this kind may an account have. */
  readonly most: number;
};

/** Adds a record, unless the account has one of this name; undefined where it has too many. */
export async function insertRecord(
  db: Db,
  accountId: string,
  { most, ...record }: NewRecord,
): Promise<AccountRecord | undefined> {
  const draft = JSON.stringify({ ...record, account_id: accountId });
  const [row] = await db<AccountRecord[]>`
    select id, account_id, name, contents, created_at, updated_at from add_account_record(${draft}::text::jsonb, ${most})`;
  return row;
}

/** The journeys of an account, by their names. */
export async function listJourneys(db: Db, accountId: string): Promise<UserJourney[]> {
  const rows = await db<{ name: string; contents: Omit<UserJourney, "name"> }[]>`
    select r.name, r.contents from account_records r
     where r.account_id = ${accountId} and r.kind = 'journey' order by r.name`;
  return rows.map(({ name, contents }) => ({ name, ...contents }));
}

export type StepChange = {
  readonly journey: string;
  /** All steps, unless one is named. */
  readonly step?: string;
  readonly complete?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
};

/** What a journey takes of metadata, with all else that it says. */
export const mostJourneyBytes = 64 * 1024;

type Changed = { readonly names: readonly string[]; readonly is_changed: boolean };

/** Changes steps of a journey, unless metadata makes it too large; undefined where there is none. */
export async function changeSteps(
  db: Db,
  accountId: string,
  { journey, step, complete, metadata }: StepChange,
): Promise<Changed | undefined> {
  const isDone = complete ?? null;
  const most = metadata === undefined ? null : mostJourneyBytes;
  const [row] = await db<Changed[]>`
    with there as (
      select r.id, jsonb_set(r.contents, '{steps}', (
             select jsonb_agg(
                      case when s.step ->> 'name' is distinct from coalesce(${step ?? null}::text, s.step ->> 'name') then s.step
                           else case when ${isDone}::boolean is null or s.step -> 'complete' = to_jsonb(${isDone}::boolean) then s.step
                                     when ${isDone}::boolean then s.step || jsonb_build_object(
                                       'complete', true, 'completion_method', 'manual', 'completion_source', 'api', 'completed_at',
                                       to_char(svc_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                                     else (s.step - array['completed_at', 'completion_method', 'completion_source'])
                                          || '{"complete": false}' end
                                || jsonb_build_object('metadata', (s.step -> 'metadata') || ${JSON.stringify(metadata ?? {})}::text::jsonb)
                      end order by s.n)
               from jsonb_array_elements(r.contents -> 'steps') with ordinality s (step, n))) as contents
        from account_records r
       where r.account_id = ${accountId} and r.kind = 'journey' and r.name = ${journey} for no key update),
    changed as (
      update account_records r set updated_at = svc_now(), contents = t.contents
        from there t
       where r.id = t.id and (${most}::int is null or octet_length(t.contents::text) <= ${most}) returning r.id)
    select array(select e ->> 'name' from jsonb_array_elements(t.contents -> 'steps') e) as names,
           exists (select from changed) as is_changed
      from there t`;
  return row;
}
