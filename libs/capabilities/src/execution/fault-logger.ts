/** Where masked faults are logged, once each, scrubbed (port; Nest's `Logger` by default). */
export abstract class FaultLogger {
  abstract error(
    message: string,
    detail: { readonly referenceId: string; readonly capability: string; readonly error: string },
  ): void;
  abstract warn(message: string): void;
}
