import { z } from "zod";

/** A folder that goes into an artifact, whole. */
const part = z.object({
  from: z.string(),
  /** Where it goes to in the artifact; empty: its root. */
  to: z.string(),
  /** Whether it came from the source itself, and so counts for the source's checksum. */
  isSource: z.boolean(),
  /** Names below `from` that stay out. */
  leaveOut: z.array(z.string()).default([]),
  /** Takes what links lead to, wherever that is: for folders that a tool of ours has made. */
  followsLinks: z.boolean().default(false),
});
export type PackPart = z.infer<typeof part>;

/** What terraform wrote down of one module that it has installed. */
export const moduleRecord = z.object({
  Key: z.string(),
  Source: z.string(),
  Version: z.string().optional(),
  Dir: z.string(),
});
export type ModuleRecord = z.infer<typeof moduleRecord>;

/** The request to the child that packs an artifact; a file that it reads as the job's user. */
export const packRequest = z.object({
  /** An archive that is unpacked first, into the folder `into`, of which parts may be. */
  unpack: z.object({ archive: z.string(), into: z.string() }).optional(),
  /** A folder in which no link leads out of it: the whole source, where a tool follows links. */
  within: z.string().optional(),
  parts: z.array(part),
  /** Files of the artifact with the given texts. */
  texts: z.array(z.object({ name: z.string(), text: z.string() })).default([]),
  /** Single files, by their places. */
  files: z
    .array(z.object({ from: z.string(), to: z.string(), isSource: z.boolean().default(false) }))
    .default([]),
  /**
   * A terraform configuration: `root` is its whole source, `directory` the part that is packed, `installed` where
   * terraform keeps the modules that it has installed.
   */
  modules: z
    .object({
      root: z.string(),
      directory: z.string(),
      installed: z.string(),
      records: z.array(moduleRecord),
    })
    .optional(),
  /** Where the artifact is written, and where it is then unpacked as a deploy does; without it, it is only looked at. */
  output: z.object({ archive: z.string(), unpacked: z.string() }).optional(),
  /** The names of files whose templates are read; `*` at the beginning stands for anything. */
  templates: z.array(z.string()).default([]),
  /** Texts of the plan whose templates are read, too. */
  planTexts: z.array(z.string()).default([]),
  brands: z.array(z.string()).default([]),
  /** The file for the result, as JSON. */
  told: z.string(),
  mostBytes: z.number(),
});
export type PackRequest = z.infer<typeof packRequest>;

const packed = z.object({
  /** Of the archive; empty when nothing was written. */
  digest: z.string(),
  size: z.number(),
  /** Of the names and contents of what was packed, however it is compressed. */
  checksum: z.string(),
  /** The same of what came from the source. */
  sourceChecksum: z.string(),
  files: z.number(),
  bytes: z.number(),
  /** The paths below `.svc` that templates in it read. */
  references: z.array(z.string()),
});
export type Packed = z.infer<typeof packed>;

/** The child's result: what was packed, or why it cannot be. */
export const packTold = z.union([
  packed,
  z.object({ class: z.string(), words: z.string(), file: z.string().optional() }),
]);
