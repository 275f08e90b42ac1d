import type { ClientFeature, ClientRequest } from '../contract/client-channel.js';
import { isRecord } from '../kernel/json.js';

type Capabilities = Readonly<Record<string, unknown>>;

/** True when the declared client capabilities contain the feature; `elicitation: {}` is form mode only. */
export function declares(capabilities: Capabilities, feature: ClientFeature): boolean {
  const [name = '', part] = feature.split('.');
  const declared = capabilities[name];
  if (!isRecord(declared)) return false;
  if (part !== undefined) return isRecord(declared[part]);
  if (name !== 'elicitation') return true;
  return isRecord(declared['form']) || !isRecord(declared['url']);
}

/** The features that a request to the client needs. */
export function featuresOf(request: ClientRequest): readonly ClientFeature[] {
  switch (request.method) {
    case 'elicitation/create':
      return [request.params.mode === 'url' ? 'elicitation.url' : 'elicitation'];
    case 'sampling/createMessage':
      return Array.isArray(request.params['tools']) ? ['sampling', 'sampling.tools'] : ['sampling'];
    case 'roots/list':
      return ['roots'];
  }
}

/** The features, as a `ClientCapabilities` object. */
export function asCapabilities(features: Iterable<ClientFeature>): Record<string, Record<string, unknown>> {
  const capabilities: Record<string, Record<string, unknown>> = {};
  for (const feature of features) {
    const [name = '', part] = feature.split('.');
    const entry = (capabilities[name] ??= {});
    if (part !== undefined) entry[part] = {};
  }
  return capabilities;
}

/** The first given features that the client did not declare. */
export function undeclared(
  capabilities: Capabilities,
  features: readonly ClientFeature[],
): readonly ClientFeature[] {
  return features.filter((feature) => !declares(capabilities, feature));
}

/** Of what a client declared, the part that is asked for here: small enough to ride in a token. */
export function knownCapabilities(capabilities: Capabilities): Capabilities {
  const has = (feature: ClientFeature): boolean => declares(capabilities, feature);
  const form = has('elicitation') ? { form: {} } : {};
  const url = has('elicitation.url') ? { url: {} } : {};
  return {
    ...(has('elicitation') || has('elicitation.url') ? { elicitation: { ...form, ...url } } : {}),
    ...(has('sampling') ? { sampling: has('sampling.tools') ? { tools: {} } : {} } : {}),
    ...(has('roots') ? { roots: {} } : {}),
  };
}
