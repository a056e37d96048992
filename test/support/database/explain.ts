import postgres from "postgres";
import type { Db } from "../../../broker/database/connect.ts";
import type { TestDatabase } from "./database.ts";

export type PlanNode = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  /** Of each loop; with them only where the plans were executed with measurement. */
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly "Heap Fetches"?: number;
  readonly Plans?: readonly PlanNode[];
};
export type Explained = { readonly "Query Text": string; readonly Plan: PlanNode };

/** A connection that explains each statement of its, those within functions included. */
export type Explaining = {
  readonly db: Db;
  /** What was explained since it was asked last. */
  readonly take: () => Explained[];
  readonly end: () => Promise<void>;
};

/** Opens one; `isMeasured`: the plans tell what they read, too. */
export async function explaining(
  { url }: Pick<TestDatabase, "url">,
  { isMeasured = false }: { readonly isMeasured?: boolean } = {},
): Promise<Explaining> {
  let statements: Explained[] = [];
  const db = postgres(url, {
    max: 1,
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
    onnotice: ({ message = "" }) => {
      const [, plan] = /^duration: [^{]*plan:\s*(\{.*)$/s.exec(message) ?? [];
      if (plan !== undefined) statements.push(JSON.parse(plan) as Explained); // auto_explain's own
    },
  }) as unknown as Db;
  await db`load 'auto_explain'`;
  await db.unsafe(`
    set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
    set auto_explain.log_analyze = ${isMeasured}; set auto_explain.log_timing = off;
    set auto_explain.log_format = json; set auto_explain.log_level = notice`);
  return {
    db,
    take: () => {
      const taken = statements;
      statements = [];
      return taken;
    },
    end: () => db.end({ timeout: 1 }),
  };
}

/** What is read from one end to the other. */
export function walksOf(node: PlanNode): string[] {
  const { "Node Type": type, "Relation Name": relation, "Index Name": index } = node;
  const isWalk =
    type === "Seq Scan" ||
    (/^(?:Bitmap )?Index (?:Only )?Scan$/.test(type) && node["Index Cond"] === undefined);
  const own =
    isWalk && !isCatalog(relation ?? index ?? "") ? [`${type} on ${relation ?? index}`] : [];
  return [...own, ...(node.Plans ?? []).flatMap(walksOf)];
}

/** The tables that a plan names. */
export function relationsOf(node: PlanNode): string[] {
  const { "Relation Name": relation } = node;
  return [
    ...(relation === undefined ? [] : [relation]),
    ...(node.Plans ?? []).flatMap(relationsOf),
  ];
}

export type Read = { readonly of: string; readonly rows: number };

/** How many rows each scan of a table met, those that it then left out included. */
export function readsOf(node: PlanNode): Read[] {
  const { "Node Type": type, "Relation Name": relation, "Index Name": index } = node;
  const loops = node["Actual Loops"] ?? 0;
  const each =
    (node["Actual Rows"] ?? 0) +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0);
  const isScan = (relation ?? index) !== undefined && type.endsWith(" Scan");
  const own = isScan
    ? [{ of: `${type} ${index ?? ""} of ${relation ?? ""}`, rows: Math.round(each * loops) }]
    : [];
  return [...own, ...(node.Plans ?? []).flatMap(readsOf)];
}

const isCatalog = (name: string): boolean => name.startsWith("pg_");
