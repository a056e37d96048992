/** What a decision needs is not known yet: it is decided anew once it is found. */
export class NotKnown extends Error {
  override readonly name = "NotKnown";
  readonly find: () => Promise<void>;

  constructor(what: string, find: () => Promise<void>) {
    super(`${what} is not known yet`);
    this.find = find;
  }
}
