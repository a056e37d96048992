/** A child that could not be started; the message is for people and holds no argument of it. */
export class ChildError extends Error {
  override readonly name = "ChildError";
}
