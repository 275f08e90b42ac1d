import type { InjectionToken } from '@nestjs/common';
import type { ConversationStore } from '../../execution/conversation-store.js';
import { type Provider, PROVIDERS } from './providers/provider-rule.js';

/** Options of `AssistantSurfaceModule.forRoot`. */
export interface AssistantSurfaceOptions {
  /** Where conversations are kept: a store, or the token of a provider. Default: in this process. */
  readonly store?: ConversationStore | InjectionToken<ConversationStore>;
  /** The application does not start when a tool breaks a documented limit of one of these. Default none. */
  readonly providers?: readonly Provider[];
}

export const ASSISTANT_OPTIONS = Symbol.for('nest-capabilities.assistant.Options');

/** Provider names that do not exist. */
export function unknownProviders({ providers = [] }: AssistantSurfaceOptions): readonly string[] {
  const known: readonly string[] = PROVIDERS;
  return providers.filter((provider) => !known.includes(provider));
}
