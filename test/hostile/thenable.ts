type Then = (resolve: (value: unknown) => void, reject?: (error: Error) => void) => void;

/** An object with a `then` of its own, as query builders have. */
// oxlint-disable-next-line unicorn/no-thenable -- what the tests are about
export const thenable = (then: Then): unknown => Object.defineProperty({}, 'then', { value: then });

/** A promise that rejects, and notes who takes the rejection: nobody does for one that ends the process. */
export class Rejecting {
  handled = 0;
  readonly promise = thenable((_resolve, reject) => {
    if (reject === undefined) return;
    this.handled += 1;
    reject(new Error('rejected'));
  });
}
