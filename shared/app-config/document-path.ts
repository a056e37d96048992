/** The path of a file in the JSON document of the same config: its folder, and its path in that. */
export function documentPath(file: string): string[] {
  const slash = file.indexOf("/");
  return slash === -1 ? [file] : [file.slice(0, slash), file.slice(slash + 1)];
}
