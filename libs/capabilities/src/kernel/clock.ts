/** The time of every expiry, window and audit stamp. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
  /** Milliseconds by which this clock differs from the system's; added to the database's clock in SQL. */
  abstract offset(): number;
}

/** The system's clock; `offset()` is zero. */
export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
  offset(): number {
    return 0;
  }
}
