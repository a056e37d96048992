import { isLast, type MoveTable } from "../../../shared/moves.ts";

export type Machine = {
  /** Every status, in the order in which docs show them. */
  readonly statuses: readonly string[];
  readonly table: MoveTable<string>;
  /** The status in which it begins, and the event that begins it. */
  readonly start: { readonly event: string; readonly to: string };
};

/** The state diagram of a table of moves, as docs show it. */
export function diagramOf({ statuses, table, start }: Machine): string {
  const arrows = Object.entries(table).flatMap(([event, { from, to }]) =>
    from.map((one) => `  ${id(one)} --> ${id(to)}: ${event}`),
  );
  const finals = statuses
    .filter((status) => isLast(table, status))
    .map((status) => `  ${id(status)} --> [*]`);
  const named = statuses
    .filter((status) => id(status) !== status)
    .map((status) => `  state "${status}" as ${id(status)}`);
  const first = `  [*] --> ${id(start.to)}: ${start.event}`;
  const lines = [...named, first, ...arrows, ...finals];
  return ["```mermaid", "stateDiagram-v2", ...lines, "```"].join("\n");
}

/** Its rows as a table of a page; the column "also" is there where a row has one. */
export function rowsOf(table: MoveTable<string>): string {
  const moves = Object.entries(table);
  const hasAlso = moves.some(([, { also }]) => also !== undefined);
  const heads = ["event", "from", "to", "when", ...(hasAlso ? ["also"] : [])];
  const rows = moves.map(([event, { from, to, when, also = "" }]) => [
    event,
    from.join(", "),
    to,
    when,
    ...(hasAlso ? [also] : []),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${"---|".repeat(heads.length)}`, ...rows.map(line)].join("\n");
}

/** What a page has between `<!-- name -->` and `<!-- /name -->`. */
export function between(text: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name} -->\n([^]*?)\n<!-- /${name} -->`).exec(text)?.[1];
}

const id = (status: string): string => status.replaceAll("-", "_");
