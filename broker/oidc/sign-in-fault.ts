/** Why nobody was signed in by the provider. */
export type SignInFaultKind =
  | "busy"
  | "denied"
  | "not-begun"
  | "refused"
  | "unknown-person"
  | "unreachable";

/** Nobody was signed in; `facts` are for the log, and hold no secret. */
export class SignInFault extends Error {
  readonly kind: SignInFaultKind;
  readonly facts: Readonly<Record<string, string | number>>;

  constructor(kind: SignInFaultKind, facts: SignInFault["facts"] = {}) {
    super(`Nobody was signed in: ${kind}.`);
    this.kind = kind;
    this.facts = facts;
  }
}
