import { isUtf8 } from "node:buffer";
import { PackFault } from "./pack-fault.ts";

/** The name of a file in a folder, as text. Throws PackFault for one that would be another one in an archive. */
export function utf8Name(name: Buffer, folder: string): string {
  const text = name.toString("utf8");
  if (isUtf8(name)) return text;
  const where = folder === "" ? "" : ` in ${JSON.stringify(folder.slice(0, 200))}`;
  throw new PackFault(
    "unsafe",
    `a file${where} has the name ${JSON.stringify(text)}, which is not UTF-8: rename it`,
  );
}
