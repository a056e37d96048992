/** Why something cannot be packed, in one word for programs. */
export type PackClass = "unsafe" | "too_large" | "not_found" | "outside" | "config_invalid";

/** Something cannot be packed. The message says why. */
export class PackFault extends Error {
  override readonly name = "PackFault";
  readonly class: PackClass;
  /** The file and line that are to blame: "main.tf:3". */
  readonly file: string | undefined;

  constructor(kind: PackClass, words: string, file?: string) {
    super(words);
    this.class = kind;
    this.file = file;
  }
}
