/** This host does not let a build be kept apart from it. The message is the reason. */
export class IsolationFault extends Error {
  override readonly name = "IsolationFault";
}
