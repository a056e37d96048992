type Entry<Value> = { readonly value: Value; readonly bytes: number };
type OfOrg<Value> = { bytes: number; readonly entries: Map<string, Entry<Value>> };

/** How much a cache holds, and how much of that for one org. */
export type CacheBounds = { readonly mostBytes: number; readonly mostBytesOfOrg: number };

/**
 * A cache that is counted in bytes, by org: what one org has of it makes room for its own newer things first. Then goes what
 * the org has whose things were not asked for the longest.
 */
export class OrgByteCache<Value> {
  readonly #bounds: CacheBounds;
  /** Whose things were asked for last comes last; so do an org's entries. */
  readonly #orgs = new Map<string, OfOrg<Value>>();
  #bytes = 0;

  constructor(bounds: CacheBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(org: string, key: string): Value | undefined {
    const own = this.#orgs.get(org);
    const entry = own?.entries.get(key);
    if (own === undefined || entry === undefined) return undefined;
    own.entries.delete(key);
    own.entries.set(key, entry);
    this.#orgs.delete(org);
    this.#orgs.set(org, own);
    return entry.value;
  }

  /** Keeps a value of so many bytes; one that is larger than an org's share is not kept. */
  set(org: string, key: string, { value, bytes }: Entry<Value>): void {
    const { mostBytes, mostBytesOfOrg } = this.#bounds;
    const own = this.#orgs.get(org) ?? { bytes: 0, entries: new Map<string, Entry<Value>>() };
    this.#drop(org, own, key);
    if (bytes > mostBytesOfOrg) return;
    while (own.bytes + bytes > mostBytesOfOrg) this.#dropOldest(org, own);
    own.entries.set(key, { value, bytes });
    own.bytes += bytes;
    this.#bytes += bytes;
    this.#orgs.delete(org);
    this.#orgs.set(org, own);
    while (this.#bytes > mostBytes) {
      const [oldest] = this.#orgs;
      if (oldest === undefined) return;
      this.#dropOldest(...oldest);
    }
  }

  #dropOldest(org: string, own: OfOrg<Value>): void {
    const [key = ""] = own.entries.keys();
    this.#drop(org, own, key);
  }

  #drop(org: string, own: OfOrg<Value>, key: string): void {
    const entry = own.entries.get(key);
    if (entry === undefined) return;
    own.entries.delete(key);
    own.bytes -= entry.bytes;
    this.#bytes -= entry.bytes;
    if (own.entries.size === 0) this.#orgs.delete(org);
  }
}
