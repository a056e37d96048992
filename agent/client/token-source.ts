/** The runner's token. */
export type TokenSource = {
  readonly current: () => string;
  /** Reads its file again; true when there is another token than the refused one now. */
  readonly reread: (refused: string) => boolean;
  /** From now on this one. */
  readonly replace: (token: string) => void;
};

/** Keeps a token; `read` reads it anew where it came from a file that others may change. */
export function makeTokenSource(first: string, read: () => string | undefined): TokenSource {
  let token = first;
  return {
    current: () => token,
    reread(refused) {
      if (token !== refused) return true; // somebody else has read it meanwhile
      const found = read();
      if (found === undefined || found === refused) return false;
      token = found;
      return true;
    },
    replace: (next) => void (token = next),
  };
}
