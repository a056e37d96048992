const pattern = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z][0-9A-Za-z.-]{0,63}))?$/;

/** Whether it is a version like 1.4.0 or 1.4.0-rc.1; it is safe as the name of a folder. */
export function isVersion(text: string): boolean {
  return pattern.test(text) && !text.includes("..");
}

/** Below 0 when the first is older, above 0 when it is newer; a release is newer than its previews. */
export function compareVersions(one: string, other: string): number {
  const [, ...a] = pattern.exec(one) ?? [];
  const [, ...b] = pattern.exec(other) ?? [];
  for (const at of [0, 1, 2]) {
    const difference = Number(a[at] ?? 0) - Number(b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  const [first, second] = [a[3], b[3]];
  if (first === second) return 0;
  if (first === undefined) return 1;
  if (second === undefined) return -1;
  return first.localeCompare(second, "en", { numeric: true });
}
