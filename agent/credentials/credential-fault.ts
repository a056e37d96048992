/** A cloud refused credentials. The message says who refused what and contains no secret. */
export class CredentialFault extends Error {
  override readonly name = "CredentialFault";
}
