import { readFile } from "node:fs/promises";

/** Words of ours that an enumeration has beside theirs. */
export const ourWords: Readonly<Record<string, readonly string[]>> = {
  RoleType: ["stack", "telemetry_collector"],
};

/** The reason of each row of left-out.txt: by an operation, or by `Type.member`. */
export const leftOut: ReadonlyMap<string, string> = readRows(
  await readFile(new URL("left-out.txt", import.meta.url), "utf8"),
);

function readRows(text: string): Map<string, string> {
  const read = new Map<string, string>();
  let reason = "";
  for (const row of text.replaceAll("\n  ", " ").trim().split("\n")) {
    const [name = "", members] = row.split(": ");
    if (row.startsWith("# ")) reason = row.slice(2);
    else if (members !== undefined)
      for (const member of members.split(" ")) read.set(`${name}.${member}`, reason);
    else if (row !== "") read.set(name, reason);
  }
  return read;
}
