/** The runner's token. */
export type TokenSource = {
  readonly current: () => string;
  /** Reads the token's file again; true when it holds another token than the refused one. */
  readonly reread: (refused: string) => boolean;
  /** Uses this token from now on. */
  readonly replace: (token: string) => void;
  /** Calls the listener whenever another token is used from now on. */
  readonly onChange: (listener: () => void) => void;
};

/** Holds the token; `read` reads it again from a file that others may change. */
export function makeTokenSource(first: string, read: () => string | undefined): TokenSource {
  let token = first;
  const listeners: (() => void)[] = [];
  const replace = (next: string): void => {
    token = next;
    for (const listener of listeners) listener();
  };
  return {
    current: () => token,
    reread(refused) {
      if (token !== refused) return true; // another request has read it meanwhile
      const found = read();
      if (found === undefined || found === refused) return false;
      replace(found);
      return true;
    },
    replace,
    onChange: (listener) => void listeners.push(listener),
  };
}
