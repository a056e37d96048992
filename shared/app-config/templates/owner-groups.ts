/** A group of actions, variables and templates that are ours or another program's together; undefined: another program's. */
export type Group = number | undefined;

/** The group of all that is ours. */
export const ours = 0;

/** Groups of which some are joined; those that are joined with ours are ours. */
export class OwnerGroups {
  /** The group that each group is a part of. */
  readonly #parents: number[];

  constructor(count = 1) {
    this.#parents = Array.from({ length: count }, (_, at) => at);
  }

  get count(): number {
    return this.#parents.length;
  }

  make(): number {
    return this.#parents.push(this.#parents.length) - 1;
  }

  /** The group that all of them are from now on. */
  join(groups: readonly number[]): Group {
    const found = groups.map((one) => this.rootOf(one));
    const root = found.includes(ours) ? ours : found[0];
    if (root !== undefined) for (const one of found) this.#parents[one] = root;
    return root;
  }

  isOurs(group: number): boolean {
    return this.rootOf(group) === ours;
  }

  /** The one that stands for all that are joined. */
  rootOf(group: number): number {
    let one = group;
    for (let next = this.#parents[one] ?? one; next !== one; next = this.#parents[one] ?? one) {
      this.#parents[one] = this.#parents[next] ?? next; // shorter for whoever asks next
      one = this.#parents[one] ?? one;
    }
    return one;
  }
}
