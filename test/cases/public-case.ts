import type { CaseApp, CaseSetup } from './case-app.js';
import type { CallingSurface, DocumentingSurface, ListingSurface } from './driver.js';

/** Boots an application for one check; whatever it opened is closed when the check is over. */
export type Open<S> = (setup: CaseSetup) => Promise<S>;

/** Checks by title. Each boots what it needs. */
export type Checks<S> = Readonly<Record<string, (open: Open<S>) => Promise<void>>>;

/** One case. Every group runs on every surface that offers what it needs. */
export interface PublicCase {
  /** `P01`–`P25`. */
  readonly id: string;
  readonly title: string;
  readonly calls?: Checks<CallingSurface>;
  readonly lists?: Checks<ListingSurface>;
  readonly documents?: Checks<DocumentingSurface>;
  /** What the start of the application must do; once per adapter. */
  readonly boots?: Checks<CaseApp>;
  /** All calling surfaces of one application at once; once per adapter. */
  readonly together?: Checks<readonly CallingSurface[]>;
}
