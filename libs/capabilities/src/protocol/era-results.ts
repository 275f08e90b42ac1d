import type { ClientRequest } from '../contract/client-channel.js';
import type { ResultParts } from './tool-result.js';
import { META } from './versions.js';

/** Who the server says it is. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly websiteUrl?: string;
}

/** How long and for whom a result may be kept (MCP 2026-07-28, "Caching"). Lists depend on the caller: always private. */
export interface CacheHint {
  readonly ttlMs: number;
}

/** Puts results into the form of the stateless era: result type, cache hint, server identity. */
export class ModernResults {
  private readonly identity: string;

  constructor(info: ServerInfo) {
    this.identity = `"${META.serverInfo}":${JSON.stringify(info)}`;
  }

  complete({ members, meta }: ResultParts, cache?: CacheHint): string {
    const hint = cache === undefined ? '' : `,"ttlMs":${cache.ttlMs},"cacheScope":"private"`;
    const body = members === '' ? '' : `,${members}`;
    return `{"resultType":"complete"${body}${hint},"_meta":{${meta === undefined ? '' : `${meta},`}${this.identity}}}`;
  }

  inputRequired(requests: Readonly<Record<string, ClientRequest>>, requestState: string): string {
    const asked = JSON.stringify(requests);
    return `{"resultType":"input_required","inputRequests":${asked},"requestState":${JSON.stringify(requestState)},"_meta":{${this.identity}}}`;
  }

  task(members: string): string {
    return `{"resultType":"task",${members},"_meta":{${this.identity}}}`;
  }
}

/** The form of earlier revisions: the members and nothing else. */
export function legacyResult({ members, meta }: ResultParts): string {
  return `{${members}${meta === undefined ? '' : `${members === '' ? '' : ','}"_meta":{${meta}}`}}`;
}
