import 'reflect-metadata';
import { Injectable, VERSION_NEUTRAL, type VersioningOptions, VersioningType } from '@nestjs/common';
import { allow, Capability, CapabilityHost, type CapabilityPolicyRule, hide } from 'nest-capabilities';
import { z } from 'zod';
import { ADAPTERS, type Reply, startRestApp } from '../rest/rest-app.js';

const hidden: CapabilityPolicyRule = {
  name: 'hidden',
  phase: 'access',
  hides: true,
  evaluate: ({ principal }) => (principal.id === 'writer' ? hide() : allow()),
};
const inputSchema = z.object({ id: z.string() });

@Injectable()
@CapabilityHost({ namespace: 'vault', risk: 'low', permission: 'docs:read', expose: ['rest'] })
class Vault {
  @Capability.write({ description: 'Default version.', policies: [hidden], inputSchema })
  plain(): void {}

  @Capability.write({ description: 'Second.', policies: [hidden], inputSchema, http: { version: '2' } })
  second(): void {}

  @Capability.write({ description: 'Seen.', inputSchema, http: { version: '3' } })
  seen(): void {}
}

const versionings: readonly [string, VersioningOptions, (version: string) => Sent][] = [
  [
    'URI',
    { type: VersioningType.URI, defaultVersion: '1' },
    (version) => ({ prefix: version === '' ? '' : `/v${version}`, headers: {} }),
  ],
  [
    'URI, neutral',
    { type: VersioningType.URI, defaultVersion: VERSION_NEUTRAL },
    (version) => ({ prefix: version === '' ? '' : `/v${version}`, headers: {} }),
  ],
  [
    'URI, two defaults',
    { type: VersioningType.URI, defaultVersion: ['1', '2'] },
    (version) => ({ prefix: version === '' ? '' : `/v${version}`, headers: {} }),
  ],
  [
    'URI, no default',
    { type: VersioningType.URI },
    (version) => ({ prefix: version === '' ? '' : `/v${version}`, headers: {} }),
  ],
  [
    'header',
    { type: VersioningType.HEADER, header: 'x-v', defaultVersion: '1' },
    (version) => ({ prefix: '', headers: { 'x-v': version } }),
  ],
  [
    'media type',
    { type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: '1' },
    (version) => ({ prefix: '', headers: { accept: `application/json;v=${version}` } }),
  ],
];
interface Sent {
  readonly prefix: string;
  readonly headers: Record<string, string>;
}

const plain = ({
  status,
  headers: { date: _date, etag: _etag, 'content-length': _length, ...headers },
  text,
}: Reply): unknown =>
  JSON.parse(
    JSON.stringify({ status, headers, text })
      .replaceAll(/vault\.(plain|second|plane_)/g, 'N')
      .replaceAll(/[0-9a-f]{32}/g, 'ID'),
  );

describe.each(ADAPTERS)('versions on %s', (adapter) => {
  it.each(versionings)('%s: hidden names answer like unknown ones', async (_name, versioning, sent) => {
    const rest = await startRestApp(adapter, {
      providers: [Vault],
      configure: (app) => app.setGlobalPrefix('api').enableVersioning(versioning),
    });
    try {
      for (const version of ['', '1', '2', '3', '9']) {
        for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
          for (const as of ['writer', null]) {
            const { prefix, headers } = sent(version);
            const ask = (name: string): Promise<Reply> =>
              rest.send(method, `/api${prefix}/capabilities/${name}`, { as, headers });
            const unknown = plain(await ask('vault.plane_'));
            for (const name of ['vault.plain', 'vault.second'])
              expect({ name, version, method, as, reply: plain(await ask(name)) }).toEqual({
                name,
                version,
                method,
                as,
                reply: unknown,
              });
          }
        }
      }
    } finally {
      await rest.close();
    }
  });
});
