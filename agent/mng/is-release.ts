/** Whether a release is the one that was asked for: an image that was verified has its digest besides. */
export const isRelease = (release: string | undefined, asked: string): boolean =>
  release === asked || (asked !== "" && release?.startsWith(`${asked}@`) === true);
