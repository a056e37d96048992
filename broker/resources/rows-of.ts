import type postgres from "postgres";
import type { RowOf } from "../../shared/resources/members.ts";
import type { AnyResource, ItemOf } from "../../shared/resources/resource.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest, PageKey } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { type Thing, boundTo } from "../tokens/bound/within.ts";
import { filterTests } from "./filter-tests.ts";

type Texts = Readonly<Record<string, string | undefined>>;
type FilteredOf<R extends AnyResource> = R["filters"][keyof R["filters"]]["of"];
/** The SQL of members that are no columns, and of what filters look at that is no member. */
type Besides<R extends AnyResource> = Partial<Record<keyof R["members"], string>> &
  Readonly<Record<Exclude<FilteredOf<R>, keyof R["members"]>, string>>;

/**
 * Where a resource comes from.
 * - from: a table, or a join, and the name of its rows there.
 * - live: which rows are there at all.
 * - boundTo: as what of a bound token's things a list is narrowed.
 * - hasVersion: its rows have a version, which a read has as its tag.
 * - indexedBy: `parent`, an index begins with what it is under. The org is then a test of rows, so that no index of the org serves the list by a
 *   walk through all that the org has.
 * - newestBy: what lists are ordered by, where it is not the id, which begins with its time.
 * - whole: the one way out, for what is not one column a member: all that is selected, and what makes an item of such a row.
 */
export type Source<R extends AnyResource, Row> = {
  readonly from: readonly [tables: string, as: string];
  readonly live?: string;
  readonly boundTo?: Thing;
  readonly hasVersion?: true;
  readonly indexedBy?: "parent";
  readonly newestBy?: "created_at";
  readonly besides: Besides<R>;
  readonly whole?: { readonly columns: string; readonly toItem: (row: Row) => ItemOf<R> };
};

export type Listed<Row> = Row & { readonly id: string; readonly sort_key: string };
export type ListWanted = ListRequest & {
  /** The ids of what it is under, as the path names them. */
  readonly params: Texts;
  readonly filter: Texts;
  /** Of a token that is bound: only what it reaches. */
  readonly bound?: Bound | null;
};

/** What is read of a resource: one by its id, a list, and what the API shows of a row. */
export type Rows<R extends AnyResource = AnyResource, Row = unknown> = {
  readonly resource: R;
  readonly hasVersion: boolean;
  /** What it shows is not one column a member. */
  readonly isWhole: boolean;
  readonly find: (db: Db, org: OrgId, params: Texts) => Promise<Row | undefined>;
  /** What selects rows as `list` does, for a statement by hand: a `where` follows. */
  readonly select: string;
  /** The newest first. */
  readonly list: (db: Db, org: OrgId, wanted: ListWanted) => Promise<Listed<Row>[]>;
  toItem(row: Row): ItemOf<R>;
};

/** The reads of a resource. Its SQL is text that is made once, but for filters. */
export function rowsOf<R extends AnyResource, Row = RowOf<R["members"]>>(
  resource: R,
  source: Source<R, Row>,
): Rows<R, Row> {
  const {
    from: [tables, as],
    live,
    boundTo: thing,
    hasVersion = false,
    whole,
  } = source;
  const sqlOf = (name: string): string => (source.besides as Texts)[name] ?? `${as}.${name}`;
  const columns = whole?.columns ?? columnsOf(resource, sqlOf, hasVersion);
  const where = `where ${live === undefined ? "" : `${live} and `}`;
  const one = `select ${columns} from ${tables} ${where} ${as}.org_id =`;
  const select = `select ${columns}, ${as}.created_at::text as sort_key from ${tables}`;
  const page = `${select} ${where} (${as}.org_id =`;
  const isOrgs = source.indexedBy === "parent" ? ") is true" : ")";
  const tests = Object.entries(resource.filters).map(
    ([name, { test, of }]) => [name, filterTests[test], sqlOf(of)] as const,
  );
  const isByTime = source.newestBy === "created_at";
  const order = isByTime ? `${as}.created_at desc, ${as}.id desc` : `${as}.id desc`;
  const isAfter = (db: Db, { sortKey, id }: PageKey = { sortKey: "infinity", id: "~" }) =>
    isByTime
      ? db`${db.unsafe(`(${as}.created_at, ${as}.id) <`)} (${sortKey}::text::timestamptz, ${id})`
      : db`${db.unsafe(`${as}.id <`)} ${id}`;
  return {
    resource,
    hasVersion,
    isWhole: whole !== undefined,
    select,
    async find(db, org, { [resource.param]: id = "", ...params }) {
      const [row] = await db<(Row & object)[]>`
        ${db.unsafe(one)} ${org} and ${db.unsafe(`${as}.id =`)} ${id} ${isUnder(db, as, params)}`;
      return row;
    },
    async list(db, org, { params, filter, bound, after, limit, offset }) {
      const narrowed = tests.flatMap(([name, test, column]) => {
        const value = filter[name];
        return value === undefined ? [] : [test(db, db.unsafe(column), value)];
      });
      if (thing !== undefined) narrowed.push(boundTo(db, thing, bound));
      const tested = narrowed.reduce((all, each) => db`${all} ${each}`, isUnder(db, as, params));
      return db<(Listed<Row> & object)[]>`
        ${db.unsafe(page)} ${org} ${db.unsafe(isOrgs)} and ${isAfter(db, after)} ${tested}
        ${db.unsafe(`order by ${order} limit`)} ${limit} offset ${offset}`;
    },
    toItem: whole?.toItem ?? toItemOf(resource),
  };
}

function columnsOf(
  { members }: AnyResource,
  sqlOf: (name: string) => string,
  hasVersion: boolean,
): string {
  const names = [...Object.keys(members), ...(hasVersion ? ["version"] : [])];
  return names.map((name) => `${sqlOf(name)} as "${name}"`).join(", ");
}

/** Of what it is under, by the columns that are named as the path does. */
function isUnder(db: Db, as: string, params: Texts): postgres.Fragment {
  return Object.entries(params).reduce(
    (all, [name, id = ""]) => db`${all} and ${db.unsafe(`${as}.${name} =`)} ${id}`,
    db``,
  );
}

function toItemOf<R extends AnyResource>({ members }: R): (row: unknown) => ItemOf<R> {
  const shown = Object.entries(members).map(
    ([name, { show }]) => [name, show as (stored: unknown) => unknown] as const,
  );
  return (row) => {
    const stored = row as Readonly<Record<string, unknown>>; // by the members' own columns
    return Object.fromEntries(shown.map(([name, show]) => [name, show(stored[name])])) as ItemOf<R>;
  };
}
