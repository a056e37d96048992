import type { h3Rows } from "./h3-rows.ts";

/** A row of H3, or a half of one. */
export type Row = (typeof h3Rows)[number];

/** What a config can have many of, and where each is written. */
export const thingKinds = {
  input: { folder: "inputs", file: "inputs.toml", header: "input" },
  group: { folder: "input_groups", file: "inputs.toml", header: "group" },
  role: { folder: "permissions", file: "permissions.toml", header: "roles" },
  namedPolicy: {
    folder: "permissions/policies",
    file: "permissions.toml",
    header: "named_policies",
  },
  breakGlass: { folder: "break_glass", file: "break_glass.toml", header: "role" },
  policy: { folder: "policies", file: "policies.toml", header: "policy" },
  secret: { folder: "secrets", file: "secrets.toml", header: "secret" },
  context: {
    folder: "kubernetes_contexts",
    file: "kubernetes_contexts.toml",
    header: "kubernetes_context",
  },
  component: { folder: "components" },
  action: { folder: "actions" },
  runbook: { folder: "runbooks" },
  branch: { folder: "branches" },
  install: { folder: "installs" },
} as const;
export type ThingKind = keyof typeof thingKinds;

/**
 * A part of a layout. Texts have marks: `«code»` before a key where something of this code is told, `«^code»` for the
 * thing as a whole, which has its place by how it is written.
 */
export type Part =
  /** One thing, in a file of its own or in the one file of its kind. */
  | { readonly is: "thing"; readonly kind: ThingKind; readonly name: string; readonly body: string }
  /** Members at the begin of a file that is one thing; tables at its end. */
  | { readonly is: "top"; readonly file: string; readonly body: string }
  | { readonly is: "tables"; readonly file: string; readonly body: string }
  /** A text that a thing names as `./path`: in that thing's folder, in that of its kind, or in the root. */
  | {
      readonly is: "text";
      readonly of: number;
      readonly at: TextPlace;
      readonly path: string;
      readonly body: string;
    }
  /** A file that stands where it stands. */
  | { readonly is: "file"; readonly file: string; readonly body: string }
  /** A link beside a thing, or at a place, to a file or a folder of the repository; what is there. */
  | {
      readonly is: "link";
      readonly of?: number;
      readonly path: string;
      readonly to: string;
      readonly body: string;
      /** Into the repository, out of it, or into its .git. */
      readonly leads: string;
    };
export type TextPlace = "own" | "kind" | "root";

/** Code, file, line and column. */
export type Told = readonly [
  code: string,
  file: string,
  line: number | null,
  column: number | null,
];

/** What is done to a part, by its place in the piece: a text of it (of a link, where it leads) is replaced, or all of it is taken out. */
export type Edit = readonly [part: number, from: string, to: string] | readonly [part: number];

export type PlantedFault = {
  readonly code: string;
  readonly edits: readonly Edit[];
  /** A file that is taken out. */
  readonly removes?: string;
  /** Where it is told of a file as a whole. */
  readonly told?: Told;
  /** It is one of directories alone: archives have no links. */
  readonly isOfFolders?: true;
};

/** What is kept: of a list of the document the thing of this name, or with "" the whole section. */
export type Kept = readonly [section: string, name: string, has: object];

/** Something as vendors write it, for itself. */
export type Piece = {
  readonly rows: readonly Row[];
  readonly parts: readonly Part[];
  readonly faults: readonly PlantedFault[];
  readonly keeps?: readonly Kept[];
  /** The app has its name from elsewhere. */
  readonly isNameless?: true;
  /** Files that must be the one file of their kind. */
  readonly oneFile?: readonly string[];
  /** Warnings of files as a whole. */
  readonly warned?: readonly Told[];
};

/** What a piece is made by. */
export type Drawn = {
  /** A name that begins so. */
  readonly name: (base: string) => string;
  /** One of these. */
  readonly pick: <Of>(...of: readonly [Of, ...Of[]]) => Of;
  /** A folder below that of a kind: empty, or with a slash at its end. */
  readonly folder: string;
};
export type MakePiece = (drawn: Drawn) => Piece;

/** A fault by one edit of a part. */
export const fault = (code: string, part: number, [from, to]: readonly [string, string]) => ({
  code,
  edits: [[part, from, to] as const],
});

export const thing = (kind: ThingKind, name: string, body: string) =>
  ({ is: "thing", kind, name, body }) as const;
export const top = (file: string, body: string) => ({ is: "top", file, body }) as const;
export const tables = (file: string, body: string) => ({ is: "tables", file, body }) as const;

/** What several pieces need. */
export const repo = '[public_repo]\nrepo = "o/r"\n';
export const step = '[[steps]]\nname = "s"\ncommand = "true"\n';
export const job = (name: string): string => `name = "${name}"\ntype = "job"\nimage_url = "i"\n`;
export const aws = top("runner.toml", 'runner_type = "aws"\n');
