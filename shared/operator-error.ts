/** Something only the operator can put right: its message is one clear sentence, shown as it is. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
