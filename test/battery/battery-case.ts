import type { BatteryDriver } from './driver/driver.js';
import type { LaterVerb } from './driver/later-verbs.js';
import type { McpVerbs } from './driver/mcp-verbs.js';
import type { AdapterName, StoreName } from './fixture/config.js';

/** The driver with the verbs of later steps. */
export type Driver = BatteryDriver &
  McpVerbs &
  Record<LaterVerb, (...args: readonly unknown[]) => Promise<unknown>>;

/** One case: passes when `run` resolves. It starts with an empty store, one process and default settings. */
export interface BatteryCase {
  readonly id: string;
  readonly title: string;
  /** Stores it applies to. Default: all. */
  readonly stores?: readonly StoreName[];
  /** Adapters it applies to. Default: all. */
  readonly adapters?: readonly AdapterName[];
  run(t: Driver): Promise<void>;
}

export function applies(
  { stores, adapters }: BatteryCase,
  where: { readonly store: StoreName; readonly adapter: AdapterName },
): boolean {
  return (stores?.includes(where.store) ?? true) && (adapters?.includes(where.adapter) ?? true);
}
