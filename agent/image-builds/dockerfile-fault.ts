/** A Dockerfile, or what it names, cannot be built. The message is the reason, without a secret. */
export class DockerfileFault extends Error {
  override readonly name = "DockerfileFault";
  readonly class: "config_invalid" | "not_found" | "outside" | "too_large";
  /** The line that is to blame, from 1 on. */
  readonly line: number | undefined;

  constructor(kind: DockerfileFault["class"], words: string, line?: number) {
    super(words);
    this.class = kind;
    this.line = line;
  }
}
