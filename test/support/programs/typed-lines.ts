import { readFile } from "node:fs/promises";

const prompts: Readonly<Record<string, RegExp>> = {
  sh: /^(?=\S)/,
  console: /^\$ /,
  text: /^ {2}(?=\.\/svc )/, // what svc dev offers
};

/** Every line that a page has somebody type, from first to last. */
export async function typedLines(page: string): Promise<string[]> {
  const blocks = (await readFile(page, "utf8")).matchAll(/^```(\w+)\n([^]*?)^```/gm);
  return [...blocks].flatMap(([, language = "", text = ""]) => {
    const prompt = prompts[language];
    if (prompt === undefined) throw new Error(`${page} has a block of ${language}.`);
    const lines = text.split("\n").filter((line) => prompt.test(line));
    return lines.map((line) => line.replace(prompt, ""));
  });
}

/** As one shell takes it: a person's yes, and Ctrl-C for what is watched as soon as it shows something. */
export function asTypedHere(line: string, n: number): string {
  const isWatch = / --watch\b/.test(line);
  const watched = `{ ${line}\n} > watched-${n} 2>&1 & pid=$!
while [ ! -s watched-${n} ] && kill -0 $pid; do sleep 0.1; done
kill $pid; cat watched-${n}`;
  const typed = isWatch ? watched : `{ ${line}\n} <<< yes`;
  return `echo "@@ $(cat <<'LINE'\n${line}\nLINE\n)"\n${typed}\ncode=$?\nif [ $code != 0 ]; then echo "@@ ended with $code"; exit 1; fi`;
}
