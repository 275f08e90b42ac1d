import type { Json, JsonSchema } from '../kernel/json.js';

/** What a client can be asked for. `elicitation` is form mode, `elicitation.url` a page to visit. */
export type ClientFeature = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots';

/** Asks the person for a few plain values. Never ask for secrets this way. */
export interface ElicitForm {
  readonly mode?: 'form';
  readonly message: string;
  /** A flat object schema of primitives and enumerations. */
  readonly requestedSchema: JsonSchema;
}

/** Asks the person to visit a page. */
export interface ElicitUrl {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
}

export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, Json>>;
}

/** Parameters of `sampling/createMessage`. */
export interface SampleRequest {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: Json }[];
  readonly maxTokens: number;
  readonly [parameter: string]: unknown;
}

export interface SampleAnswer {
  readonly role: 'user' | 'assistant';
  readonly content: Json;
  readonly model: string;
  readonly stopReason?: string;
}

export interface RootsAnswer {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

/** One request to the client, as it goes over the wire. */
export type ClientRequest =
  | { readonly method: 'elicitation/create'; readonly params: ElicitForm | ElicitUrl }
  | { readonly method: 'sampling/createMessage'; readonly params: SampleRequest }
  | { readonly method: 'roots/list'; readonly params?: Readonly<Record<string, never>> };

/**
 * Reaches the caller's client while a handler runs. In the stateless protocol era a question ends the
 * call, and the answered call runs the handler again from its start: ask before any effect, under stable keys.
 */
export interface ClientChannel {
  /** True when the client declared that it can answer. */
  supports(feature: ClientFeature): boolean;
  /**
   * Asks everything at once and resolves when all is answered. Throws when the client did not declare what a
   * request needs, or cannot be reached.
   */
  ask(requests: Readonly<Record<string, ClientRequest>>): Promise<Readonly<Record<string, unknown>>>;
  /** `key` names the question across the rounds of one call. Default `elicitation`. */
  elicit(request: ElicitForm | ElicitUrl, key?: string): Promise<ElicitAnswer>;
  /** Default key `sampling`. */
  sample(request: SampleRequest, key?: string): Promise<SampleAnswer>;
  /** Default key `roots`. */
  roots(key?: string): Promise<RootsAnswer>;
}
