/**
 * A limit only ends what hangs: no machine that does much else besides is so late where all is well. They are the same
 * for every test, so that none is the first to fail there.
 */
export const waitLimitMs = 240_000;

/** A test waits more than once. */
export const testLimitMs = 600_000;
