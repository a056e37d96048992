import { readFile } from "node:fs/promises";

/** A file that a page shows whole, or a command that it has somebody type, with what it shows of the answer. */
export type PagePart =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "command"; readonly line: string; readonly shown: readonly string[] };

type Block = { readonly before: string; readonly language: string; readonly lines: string[] };

/** What stands before a file's block: `cafe/inputs.toml`, what each customer is asked: */
const fileName = /^`([\w./-]+)`.*:$/;

/** Every part of every block of a page, in order; a block that is neither of files nor of commands is refused. */
export async function readTypedPage(page: string): Promise<PagePart[]> {
  return blocksOf(await readFile(page, "utf8")).flatMap(partsOf);
}

/** The page with this as what each command printed, from first to last; all else stays as it is. */
export async function typedPageWith(
  page: string,
  printed: readonly (readonly string[])[],
): Promise<string> {
  const lines = (await readFile(page, "utf8")).split("\n");
  const rest = [...printed];
  let [isConsole, isAnswer] = [false, false];
  return lines
    .flatMap((line) => {
      if (line.startsWith("```")) isConsole = line === "```console";
      if (!isConsole || line.startsWith("```")) isAnswer = false;
      else if (line.startsWith("$ ")) {
        isAnswer = true;
        return [line, ...(rest.shift() ?? [])];
      }
      return isAnswer ? [] : [line];
    })
    .join("\n");
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let [open, before]: [Block | undefined, string] = [undefined, ""];
  for (const line of text.split("\n")) {
    if (/^ *(?:```|~~~)/.test(line)) {
      const language = /^```(\w*)$/.exec(line)?.[1];
      if (language === undefined || (open === undefined) === (language === ""))
        throw new Error(`This begins or ends no block: ${line}`);
      if (open !== undefined) blocks.push(open);
      open = open === undefined ? { before, language, lines: [] } : undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (line !== "") before = line;
  }
  if (open !== undefined) throw new Error("The last block has no end.");
  return blocks;
}

function partsOf({ before, language, lines }: Block): PagePart[] {
  if (language === "console") return commandsOf(lines);
  const name = fileName.exec(before)?.[1];
  if (name === undefined) throw new Error(`What file is this? ${before}`);
  return [{ kind: "file", name, text: lines.map((line) => `${line}\n`).join("") }];
}

function commandsOf(lines: readonly string[]): PagePart[] {
  const starts = lines.flatMap((line, at) => (line.startsWith("$ ") ? [at] : []));
  if (starts[0] !== 0) throw new Error(`A block of commands begins with ${lines[0] ?? "nothing"}.`);
  return starts.map((start, n) => ({
    kind: "command",
    line: (lines[start] ?? "").slice(2),
    shown: lines.slice(start + 1, starts[n + 1] ?? lines.length),
  }));
}
