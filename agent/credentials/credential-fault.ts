/** A cloud does not let us in: its message says who refused what, and holds no secret. */
export class CredentialFault extends Error {
  override readonly name = "CredentialFault";
}
