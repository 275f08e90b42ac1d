import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from '@nestjs/common';
import type { ConversationStore } from '../../execution/conversation-store.js';
import { type Provider, PROVIDERS } from './providers/provider-rule.js';

/** How the store is provided: a class, or `useExisting`, `useFactory`, `useValue`. */
export type ConversationStoreProvider =
  | Type<ConversationStore>
  | { readonly useExisting: InjectionToken<ConversationStore> }
  | { readonly useValue: ConversationStore }
  | {
      readonly useFactory: (...args: never[]) => ConversationStore | Promise<ConversationStore>;
      readonly inject?: readonly (InjectionToken | OptionalFactoryDependency)[];
    };

/** Options of `AssistantSurfaceModule.forRoot`. */
export interface AssistantSurfaceOptions {
  /** Modules whose exports the store injects. */
  readonly imports?: ModuleMetadata['imports'];
  /** Where conversations are kept. Default: in this process. */
  readonly store?: ConversationStoreProvider;
  /** The application does not start when a tool breaks a documented limit of one of these. Default none. */
  readonly providers?: readonly Provider[];
}

export const ASSISTANT_OPTIONS = Symbol.for('nest-capabilities.assistant.Options');

/** Provider names that do not exist. */
export function unknownProviders({ providers = [] }: AssistantSurfaceOptions): readonly string[] {
  const known: readonly string[] = PROVIDERS;
  return providers.filter((provider) => !known.includes(provider));
}
