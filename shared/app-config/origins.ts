import {
  type ConfigFault,
  type FoundFault,
  makeFault,
  type Path,
  pointerTo,
} from "./config-fault.ts";
import { documentPath } from "./document-path.ts";
import { PathMap } from "./path-map.ts";

/** Where something of a config was written: in which file, and at which path there. */
export type Origin = { readonly file: string; readonly within: Path };

export type Told = Pick<ConfigFault, "code" | "detail">;

/** From which places of which files the parts of a config's tree came. */
export class Origins {
  readonly #origins = new PathMap<Origin>();

  add(path: Path, origin: Origin): void {
    this.#origins.add(path, origin);
  }

  /** Where what is at a path was written; undefined for what is of no file. */
  find(path: Path): Origin | undefined {
    const found = this.#origins.nearest(path);
    if (found === undefined) return undefined;
    const { file, within } = found.value;
    return { file, within: [...within, ...path.slice(found.length)] };
  }

  /** A fault at a path of the tree, told by its file and its path there; of the whole config, where it is of no file. */
  faultAt(path: Path, told: Told): FoundFault {
    const found = this.find(path);
    if (found !== undefined) return faultIn(found, told);
    return makeFault({ file: "", line: null, column: null, pointer: pointerTo(path), ...told });
  }
}

/** A fault at a place of a file. */
export const faultIn = ({ file, within }: Origin, told: Told): FoundFault =>
  makeFault({
    file,
    line: null,
    column: null,
    pointer: pointerTo([...documentPath(file), ...within]),
    ...told,
    within,
  });
