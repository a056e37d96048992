/** Why a secret cannot be copied, in one word for programs. */
export type SecretClass =
  | "auth"
  | "forbidden"
  | "not_found"
  | "format"
  | "too_large"
  | "network"
  | "refused";

/** A store did not give a secret, or it is not what it should be. The message never has the value. */
export class SecretFault extends Error {
  override readonly name = "SecretFault";
  readonly class: SecretClass;

  constructor(kind: SecretClass, words: string) {
    super(words);
    this.class = kind;
  }
}
