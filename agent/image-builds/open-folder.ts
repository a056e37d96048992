import { closeSync, constants, openSync } from "node:fs";

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens a folder below one that only the agent can change, name by name: no link is followed, whoever puts one there and whenever.
 * Throws where one of them is no folder. The caller closes it.
 */
export function openFolder(root: string, ...names: readonly string[]): number {
  let opened = openSync(root, flags);
  for (const name of names) {
    const above = opened;
    try {
      opened = openWithin(above, name);
    } finally {
      closeSync(above);
    }
  }
  return opened;
}

/** Opens a folder in an opened one, unless it is a link. The caller closes it. */
export const openWithin = (above: number, name: string): number =>
  openSync(`${placeOfOpened(above)}/${name}`, flags);

/** The path of an opened folder, for this process and its children: it stays that folder, whatever is renamed. */
export const placeOfOpened = (opened: number): string => `/proc/${process.pid}/fd/${opened}`;
