/** An address of a page, and what it must show there. */
export type View = {
  /** The page's path, as its table has it. */
  readonly path: string;
  readonly address: string;
  readonly has: string;
  /** What it says in an org that has nothing; only of pages that need nothing. */
  readonly whenEmpty?: string;
};

/** What a hostile customer calls things: it must stay text. */
export const hostile = `"><script>globalThis.pwned = 1</script><img src=x onerror="globalThis.pwned = 1">`;
