/** Why a registry does not do what is asked of it, in one word for programs. */
export type RegistryClass =
  | "auth"
  | "not_found"
  | "digest"
  | "network"
  | "rate_limited"
  | "refused"
  | "too_large"
  | "unsafe";

/** A registry did not do what was asked. The message says why, after "the registry" or alone, and contains no secret. */
export class RegistryFault extends Error {
  override readonly name = "RegistryFault";
  readonly class: RegistryClass;

  constructor(kind: RegistryClass, words: string) {
    super(words);
    this.class = kind;
  }
}

/** The fault of bytes that are others than their digest says. */
export function differs(what: string, expected: string, own: string): RegistryFault {
  return new RegistryFault("digest", `${what} has the digest ${own}, expected ${expected}`);
}
