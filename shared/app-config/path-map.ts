import type { Path } from "./config-fault.ts";

type Branch<Value> = {
  value: Value | undefined;
  below: Map<string | number, Branch<Value>> | undefined;
};

/** Values at paths, found by the nearest around a path. What is above a path is not copied for it. */
export class PathMap<Value> {
  readonly #root: Branch<Value> = { value: undefined, below: undefined };

  /** The first value at a path stays. */
  add(path: Path, value: Value): void {
    let branch = this.#root;
    for (const key of path) {
      branch.below ??= new Map();
      let next = branch.below.get(key);
      if (next === undefined) {
        next = { value: undefined, below: undefined };
        branch.below.set(key, next);
      }
      branch = next;
    }
    branch.value ??= value;
  }

  /** The value at the longest part of a path, from its begin, that has one; and how long that is. */
  nearest(path: Path): { readonly value: Value; readonly length: number } | undefined {
    let found: { value: Value; length: number } | undefined;
    let branch: Branch<Value> | undefined = this.#root;
    for (let length = 0; branch !== undefined; length++) {
      if (branch.value !== undefined) found = { value: branch.value, length };
      const key: string | number | undefined = path[length];
      branch = key === undefined ? undefined : branch.below?.get(key);
    }
    return found;
  }
}
