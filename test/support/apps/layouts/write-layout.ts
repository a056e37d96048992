import {
  type Drawn,
  type Part,
  type Piece,
  type PlantedFault,
  type Row,
  thingKinds,
  type Told,
} from "./layout-piece.ts";

/** A link of a directory, and what is where it leads. */
export type LayoutLink = Pick<Part & { is: "link" }, "to" | "body" | "leads"> & {
  readonly isFolder: boolean;
};

/** A directory of a config as it is written, and what is known of it. */
export type Layout = {
  readonly files: ReadonlyMap<string, string>;
  readonly links: ReadonlyMap<string, LayoutLink>;
  /** Where its faults and warnings are. */
  readonly told: readonly Told[];
  readonly rows: readonly Row[];
};

/** How it is written, whatever it says. */
export type Manner = {
  /** The files of kinds that are written so, and not as a folder. */
  readonly oneFile: readonly string[];
  readonly head: string;
  readonly indent: string;
  readonly hasBom: boolean;
  readonly hasCrlf: boolean;
  readonly isQuoted: boolean;
  readonly isNoted: boolean;
};
export type Placed = { readonly piece: Piece; readonly folder: Drawn["folder"] };

type Writing = {
  readonly tops: Map<string, string[]>;
  readonly tables: Map<string, string[]>;
  readonly texts: Map<string, string>;
  readonly links: Map<string, LayoutLink>;
  readonly told: Told[];
  readonly rows: Set<Row>;
  readonly isOneFile: (file: string) => boolean;
};

/** Writes pieces as one directory, with a fault that is planted in one of them, if there is one. */
export function writeLayout(
  all: readonly Placed[],
  manner: Manner,
  planted?: { readonly at: number; readonly fault: PlantedFault },
): Layout {
  const forced = all.flatMap(({ piece }) => piece.oneFile ?? []);
  const writing: Writing = {
    tops: new Map([["metadata.toml", []]]),
    tables: new Map(),
    texts: new Map(),
    links: new Map(),
    told: [],
    rows: new Set(all.flatMap(({ piece }) => piece.rows)),
    isOneFile: (file) => forced.includes(file) || manner.oneFile.includes(file),
  };
  if (!all.some(({ piece }) => piece.isNameless)) add(writing.tops, "metadata.toml", shop);
  for (const [at, { piece, folder }] of all.entries()) {
    const fault = planted?.at === at ? planted.fault : undefined;
    writing.told.push(...(piece.warned ?? []), ...(fault?.told === undefined ? [] : [fault.told]));
    writeParts(writing, partsWith(piece, fault), folder);
  }
  const { texts, tops, tables, links, rows } = writing;
  for (const file of new Set([...tops.keys(), ...tables.keys()]))
    texts.set(file, [...(tops.get(file) ?? []), ...(tables.get(file) ?? [])].join(""));
  const files = new Map(
    [...texts].map(([file, text]) => [
      file,
      unmarked(writing.told, file, inManner(file, text, manner)),
    ]),
  );
  files.delete(planted?.fault.removes ?? "");
  return { files, links, told: writing.told, rows: [...rows] };
}

const shop = 'name = "shop"\n';

function partsWith({ parts }: Piece, fault: PlantedFault | undefined): (Part | undefined)[] {
  const edited: (Part | undefined)[] = [...parts];
  for (const [at, from, to] of fault?.edits ?? []) {
    const part = edited[at];
    if (part === undefined) throw new Error(`there is no part ${at}`);
    if (from === undefined || to === undefined) edited[at] = undefined;
    else if (part.is === "link") edited[at] = { ...part, leads: to };
    else {
      if (!part.body.includes(from)) throw new Error(`${JSON.stringify(part)} has no ${from}`);
      edited[at] = { ...part, body: part.body.replace(from, () => to) };
    }
  }
  return edited;
}

function writeParts(writing: Writing, parts: readonly (Part | undefined)[], folder: string): void {
  /** The folders of things: where they are, and that of their kind. */
  const homes = parts.map((part) =>
    part?.is === "thing" ? writeThing(writing, part, folder) : undefined,
  );
  for (const part of parts) {
    if (part === undefined || part.is === "thing") continue;
    if (part.is === "top") add(writing.tops, part.file, part.body);
    else if (part.is === "tables") add(writing.tables, part.file, part.body);
    else if (part.is === "file") writing.texts.set(part.file, wholeAt(writing, part));
    else if (part.is === "link") {
      const { to, body, leads, of } = part;
      const home = of === undefined ? "" : (homes[of]?.own ?? "");
      writing.links.set(home + part.path, { to, body, leads, isFolder: of === undefined });
    } else {
      const home = homes[part.of];
      const at = { own: home?.own, kind: home?.kind, root: "" }[part.at] ?? "";
      writing.texts.set(at + part.path, part.body);
    }
  }
}

type Home = { readonly own: string; readonly kind: string };

function writeThing(writing: Writing, part: Part & { is: "thing" }, folder: string): Home {
  const kind = thingKinds[part.kind];
  const home = `${kind.folder}/`;
  if ("file" in kind && writing.isOneFile(kind.file)) {
    const [, code] = /«\^([a-z_]+)»/.exec(part.body) ?? [];
    const mark = code === undefined ? "" : `«${code}»`;
    const body = part.body
      .replace(/«\^[a-z_]+»/, "")
      .replaceAll(/^(\[\[?(?:«[a-z_]+»)?)/gm, `$1${kind.header}.`);
    if (part.kind === "context") writing.rows.add("[[kubernetes_context]]");
    add(writing.tables, kind.file, `[[${mark}${kind.header}]]\n${body}`);
    return { own: "", kind: home };
  }
  const file = `${home}${folder}${part.name}.toml`;
  writing.texts.set(file, wholeAt(writing, { file, body: part.body }));
  const row = rowOf[kind.folder];
  if (row !== undefined && (folder !== "" || !row.startsWith("a folder"))) writing.rows.add(row);
  if (folder.split("/").length > 2) writing.rows.add("a folder in another folder");
  return { own: `${home}${folder}`, kind: home };
}

const rowOf: Readonly<Record<string, Row>> = {
  components: "a folder in components/",
  actions: "a folder in actions/",
  inputs: "a folder in inputs/",
  secrets: "a folder in secrets/",
  break_glass: "break_glass/",
  kubernetes_contexts: "kubernetes_contexts/",
};

/** A text without the mark of what is told of its file as a whole. */
function wholeAt(
  { told }: Writing,
  { file, body }: { readonly file: string; readonly body: string },
): string {
  return body.replace(/«\^([a-z_]+)»/, (_, code: string) => {
    told.push([code, file, 1, 1]);
    return "";
  });
}

/** A text in this manner, if it is TOML. */
function inManner(file: string, text: string, manner: Manner): string {
  if (!file.endsWith(".toml") || text === "") return text;
  const { head, indent, hasBom, hasCrlf, isQuoted, isNoted } = manner;
  const lines = text.split("\n").map((line) => {
    if (line === "") return line;
    const note = isNoted && /^\[.*\]$/.test(line) ? " # noted" : "";
    const named = isQuoted ? line.replace(/^((?:«\w+»)*)(\w+) =/, '$1"$2" =') : line;
    return `${indent}${named}${note}`;
  });
  return `${hasBom ? "\uFEFF" : ""}${head}${lines.join("\n")}`.replaceAll(
    "\n",
    hasCrlf ? "\r\n" : "\n",
  );
}

/** A text without its marks, whose places are told. */
function unmarked(told: Told[], file: string, marked: string): string {
  let text = "";
  for (const piece of marked.split(/(«[a-z_]+»)/)) {
    const [, code] = /^«([a-z_]+)»$/.exec(piece) ?? [];
    if (code === undefined) text += piece;
    else {
      const lines = text.replace("\uFEFF", "").split("\n");
      told.push([code, file, lines.length, (lines.at(-1)?.length ?? 0) + 1]);
    }
  }
  return text;
}

function add(lists: Map<string, string[]>, file: string, text: string): void {
  const list = lists.get(file) ?? [];
  lists.set(file, list);
  if (!list.includes(text)) list.push(text); // what several pieces need is there once
}
