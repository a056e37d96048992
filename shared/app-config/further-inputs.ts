import { configLimits, type Path } from "./config-fault.ts";
import type { FileFault } from "./file-fault.ts";
import { kindOfFile } from "./kind-of-file.ts";
import { isTable } from "./rules/rule.ts";
import { outsideRoot, placesOfText } from "./text-places.ts";

/** The files of a config, in which further ones are looked for. */
type InputFiles = {
  /** Those that are read. */
  readonly entries: ReadonlyMap<string, { readonly value: unknown }>;
  /** Reads one more into them, or says why it cannot be. */
  readonly read: (name: string) => Promise<FileFault | undefined>;
  readonly tell: (file: string, path: Path, why: FileFault) => void;
};

const first = "inputs.toml";
const mostSources = 200;

/**
 * Reads the files that inputs.toml names as further ones like it, and those that they name, each once: answers their
 * names, in the order in which they are named. The members that name them are taken out.
 */
export async function furtherInputs(files: InputFiles): Promise<ReadonlySet<string>> {
  const named = new Set([first]);
  let room: number = configLimits.counted;
  for (const file of named) {
    for (const { given, path } of takeSources(files, file).slice(0, room)) {
      const found = await find(files, named, { given, file });
      if (typeof found === "string") named.add(found);
      else {
        files.tell(file, path, found);
        room--;
      }
    }
  }
  named.delete(first);
  return named;
}

type Source = { readonly given: unknown; readonly path: Path };

function takeSources({ entries, tell }: InputFiles, file: string): Source[] {
  const value = entries.get(file)?.value;
  if (!isTable(value)) return [];
  const table = value as Record<string, unknown>; // a value that is read, as a whole ours
  const { source, sources } = table;
  delete table["source"];
  delete table["sources"];
  const one = source === undefined ? [] : [{ given: source, path: ["source"] }];
  if (sources === undefined) return one;
  if (!Array.isArray(sources)) {
    tell(file, ["sources"], { code: "wrong_type", detail: "sources must be a list of paths" });
    return one;
  }
  if (sources.length > mostSources) {
    const detail = `sources must have at most ${mostSources} elements`;
    tell(file, ["sources"], { code: "bad_value", detail });
    return one;
  }
  const many = (sources as unknown[]).map((given, nth) => ({ given, path: ["sources", nth] }));
  return [...one, ...many];
}

type Given = { readonly given: unknown; readonly file: string };

/** The name of the file that is meant. */
async function find(
  { entries, read }: InputFiles,
  named: ReadonlySet<string>,
  { given, file }: Given,
): Promise<string | FileFault> {
  const words = "must be ./path of a file here";
  if (typeof given !== "string") return { code: "wrong_type", detail: `a source ${words}` };
  const told = (why: FileFault): FileFault => ({
    ...why,
    detail: `${given === "" ? "a source" : given.slice(0, 200)} ${why.detail}`,
  });
  if (/^https?:/i.test(given)) return told({ code: "remote_contents", detail: words });
  if (/^(?:\/|$)/.test(given)) return told({ code: "bad_value", detail: words });
  const places = placesOfText(given, file, "inputs");
  if (places.length === 0) return told(outsideRoot);
  let absent: FileFault | undefined;
  for (const name of places) {
    if (named.has(name)) return name;
    const kind = kindOfFile(name);
    if (kind !== undefined && kind.section !== "inputs")
      return told({ code: "bad_value", detail: "is another file of the config" });
    if (entries.has(name)) return name;
    const why = await read(name);
    if (why === undefined) return name;
    if (why.isAbsent !== true) return told(why);
    absent = why;
  }
  const none = places.length > 1 ? `: none of ${places.join(", ")} is` : "";
  return told({ code: "missing_file", detail: `${absent?.detail ?? "is not there"}${none}` });
}
