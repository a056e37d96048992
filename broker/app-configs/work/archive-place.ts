const mostNameBytes = 1024;
const mostDepth = 32;

/** Where an entry belongs, from the archive's root; empty for the root itself. */
export type ArchivePlace =
  | { readonly name: string }
  | { readonly code: "outside_root" | "bad_name"; readonly detail: string };

/** Where an entry of this name belongs; why nowhere, for a name that leads out or is none. */
export function placeOf(given: string): ArchivePlace {
  const parts = given.split("/").filter((part) => part !== "" && part !== ".");
  if (given.startsWith("/")) return { code: "outside_root", detail: "is an absolute path" };
  if (parts.includes("..")) return { code: "outside_root", detail: "leaves the directory with .." };
  if (given === "") return { code: "bad_name", detail: "a name is empty" };
  if (Buffer.byteLength(given) > mostNameBytes || parts.length > mostDepth)
    return { code: "bad_name", detail: "its path is too long or too deep" };
  if (/[\p{Cc}\uFFFD]/u.test(given))
    return { code: "bad_name", detail: "its name has control characters, or is not UTF-8" };
  return { name: parts.join("/") };
}
