/** What the builder's layers are known by does not tell what was in a mount: these alone add nothing that counts. */
const harmless: ReadonlySet<string | undefined> = new Set(["secret", "tmpfs"]);

/**
 * Whether the words of an instruction mount anything but secrets and empty folders. The layers of such a step are known
 * by its words alone, whatever it has read there. What is not plain counts as if it does.
 */
export function hasOtherMounts(words: string): boolean {
  return [...words.matchAll(/--mount(?:=(\S*))?/g)].some(([, value = ""]) => {
    if (/["'\\`$]/.test(value)) return true;
    const types = value.split(",").filter((one) => /^type(?:=|$)/i.test(one));
    return types.length !== 1 || !harmless.has(types[0]?.slice("type=".length));
  });
}
