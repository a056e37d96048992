/**
 * What a file of Git LFS that was not fetched is a link to: nothing. A tool that needs it after all fails by its name, and packs
 * no pointer.
 */
export const lfsMark = "file-of-git-lfs-that-was-not-fetched";
