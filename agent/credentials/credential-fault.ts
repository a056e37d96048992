/** A cloud refused credentials. The message says who refused what and contains no secret. */
export class CredentialFault extends Error {
  override readonly name = "CredentialFault";
}

/** A cloud did not answer, or only that it is busy: a repeat may help. */
export class CloudUnreachable extends CredentialFault {}
